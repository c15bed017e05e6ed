'use client';

import { useRouter } from 'next/navigation';
import type { ForkRequest } from '#lib/api/fork-run.ts';
import { forkRun } from '#lib/browser/fork-run.ts';
import { eatenReply } from '#lib/browser/words/eaten-reply.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

const LARGER = 4;
const MOST = 131_072;

/**
 * If the last reply spent its whole limit on thinking: retries the iteration without thinking or with a higher limit.
 */
export function ThinkingRetry() {
  const router = useRouter();
  const { server } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const agentic = useRun((view) => view.run.config?.agentic ?? false);
  const call = useRun((view) => view.timeline.rows.findLast((row) => row.kind === 'call'));
  const { busy, problem, run: request } = useRequest();
  const eaten = call?.kind === 'call' ? eatenReply(call) : undefined;
  if (!eaten || !call || !agentic) return null;
  const again = (settings: ForkRequest['settings']) =>
    request(async () => {
      const page = await forkRun(runId, {
        at: { before_iteration: call.iteration, attempt: call.attempt },
        settings,
        workspace: server?.imported ? 'empty' : 'same',
      });
      router.push(page);
      return LEAVING;
    });
  const larger = Math.min(MOST, eaten.limit * LARGER);
  return (
    <div className="grid gap-2 rounded-md border border-brass-line bg-brass-wash px-3.5 py-2.5">
      <p className="tnum text-sm">
        The last reply used all its {formatCount(eaten.thinkingTokens)} tokens for thinking and none for an
        answer.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={busy} onClick={() => void again({ think: false })}>
          Retry without thinking
        </Button>
        {eaten.by === 'num_predict' && (
          <Button size="sm" disabled={busy} onClick={() => void again({ num_predict: [larger, larger] })}>
            Retry with {formatCount(larger)} tokens per reply
          </Button>
        )}
      </div>
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}
