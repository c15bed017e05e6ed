import { parentPort } from 'node:worker_threads';
import { failed, type Judgment, judgeAnswer } from '../policies/judge-answer.ts';
import { READY } from '../util/ask-thread.ts';
import { errorMessage } from '../util/error-message.ts';
import type { ToJudge } from './judge-in-thread.ts';

// The worker thread of `judgeInThread`.

parentPort?.on('message', ({ check, answer }: ToJudge) => {
  parentPort?.postMessage(judged(check, answer));
});
parentPort?.postMessage(READY);

function judged(check: ToJudge['check'], answer: string): Judgment {
  try {
    return judgeAnswer(check, answer);
  } catch (error) {
    return failed(`The check cannot be judged: ${errorMessage(error)}`);
  }
}
