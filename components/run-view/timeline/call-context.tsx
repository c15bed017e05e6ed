import type { CallContext } from '#lib/browser/state/call-context.ts';
import { formatCount, formatPercent } from '#lib/browser/words/format.ts';

/**
 * One request in its window (C7, C11): what the server read, what was estimated to be sent, the room kept for the
 * reply, and an alarm when the server cut the prompt.
 */
export function ContextScale({
  context,
  compactAt,
}: {
  context: CallContext;
  compactAt: number | undefined;
}) {
  const { window, estimated, evaluated, requested, effective, reserve, fate, missing } = context;
  const used = evaluated ?? estimated;
  const lowered = requested !== undefined && effective !== undefined && effective < requested;
  const share = (tokens: number) => Math.min(1, window > 0 ? tokens / window : 0) * 480;
  return (
    <div className="grid gap-1">
      {window > 0 && (
        <svg
          viewBox="0 0 480 10"
          preserveAspectRatio="none"
          className="h-2.5 w-full max-w-md"
          role="img"
          aria-label={`${formatCount(used)} of ${formatCount(window)} tokens of the window`}
        >
          <rect x="0" y="4" width="480" height="2" className="fill-line-strong" />
          {reserve !== undefined && (
            <rect
              x={480 - share(reserve)}
              y="2.5"
              width={share(reserve)}
              height="5"
              className="fill-brass-line"
            />
          )}
          <rect
            x="0"
            y="1.5"
            width={Math.max(1, share(used))}
            height="7"
            className={fate === 'cut' ? 'fill-warn' : 'fill-ink-3'}
          />
          <rect x={share(estimated)} y="0" width="1.5" height="10" className="fill-ink" />
          {compactAt !== undefined && compactAt < 1 && (
            <rect x={480 * compactAt} y="0" width="1.5" height="10" className="fill-ink-3" />
          )}
        </svg>
      )}
      <p className="tnum text-ink-2">
        {evaluated !== undefined ? (
          <>
            ≈ {formatCount(estimated)} tokens estimated, {formatCount(evaluated)} measured
          </>
        ) : (
          <>≈ {formatCount(estimated)} tokens estimated</>
        )}
        {window > 0 && (
          <span className="text-ink-3">
            {' '}
            · window {formatCount(window)} ({formatPercent(used / window)})
          </span>
        )}
        {reserve !== undefined && <span className="text-ink-3"> · {formatCount(reserve)} for the reply</span>}
      </p>
      {lowered && (
        <p className="text-warn">
          {formatCount(requested)} tokens were requested; the model was loaded with {formatCount(effective)}.
        </p>
      )}
      {fate === 'cut' && (
        <p className="text-warn">
          {evaluated === window
            ? 'The prompt fills the entire window: Ollama probably truncated it.'
            : 'Ollama probably truncated the prompt: the oldest messages may not have reached the model.'}
        </p>
      )}
      {fate === 'fewer' && missing !== undefined && (
        <p className="text-ink-3">
          {formatPercent(missing)} fewer tokens than estimated; nothing was cut. The rendered prompt shows
          what the model was given.
        </p>
      )}
    </div>
  );
}
