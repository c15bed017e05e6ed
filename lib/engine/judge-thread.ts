import { parentPort } from 'node:worker_threads';
import { failed, judgeAnswer } from '../policies/judge-answer.ts';
import type { FromJudge, ToJudge } from './judge-in-thread.ts';

// The worker thread of `judgeInThread`.

function tell(message: FromJudge): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', ({ check, answer }: ToJudge) => {
  try {
    tell({ kind: 'judged', judgement: judgeAnswer(check, answer) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tell({ kind: 'judged', judgement: failed(`The check cannot be judged: ${reason}`) });
  }
});
tell({ kind: 'ready' });
