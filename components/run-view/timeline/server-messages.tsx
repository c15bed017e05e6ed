import type { ToolRow } from '#lib/events/timeline.ts';
import { plural } from '#lib/util/numbers.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Panel } from './row-frame.tsx';

/** The last messages and the progress that a server reported during a call. The model did not get them. */
export function ServerMessages({
  messages: { lines, left_out = 0 },
}: {
  messages: NonNullable<ToolRow['messages']>;
}) {
  return (
    <Panel label="Messages from the server, for you only">
      <pre className="foreign m-0 max-h-[40dvh] overflow-y-auto">
        <ForeignText text={lines.join('\n')} />
      </pre>
      {left_out > 0 && <p className="m-0 mt-1 text-ink-3">{plural(left_out, 'earlier message')} not kept</p>}
    </Panel>
  );
}
