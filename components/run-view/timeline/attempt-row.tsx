'use client';

import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { AttemptRow as AttemptRowData } from '#lib/events/timeline.ts';
import { RunImages } from '../run-images.tsx';
import { useUnfolded } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { Disclosure, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

/** The conversation an attempt begins with. */
export function AttemptRow({ row }: { row: AttemptRowData }) {
  const [open, toggle] = useUnfolded(row.key);
  const { event } = row;
  return (
    <RowFrame node={<RailNode shape="dot" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">
            {event.attempt === 1 ? 'Conversation' : `Attempt ${event.attempt}`}
          </span>
          <span className="text-sm text-ink-3">
            {event.attempt === 1 ? '' : 'with a corrective prompt, '}
            {plural(event.messages.length, 'message')}, {plural(event.tools.length, 'tool')}
          </span>
        </Disclosure>
      </div>
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          {event.messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of an event never move
            <Panel key={index} label={message.role}>
              <LongText
                id={`${row.key}.${index}`}
                text={message.content}
                label={`${message.role} message`}
                whole={wholeOf(event, `messages.${index}.content`)}
              />
              <RunImages images={message.images} />
            </Panel>
          ))}
          <Panel label="Tools offered">
            <ul className="grid gap-0.5">
              {event.tools.map((tool) => (
                <li key={tool.function.name} className="foreign">
                  <span className="font-semibold">{shortLine(tool.function.name)}</span>{' '}
                  <span className="text-ink-2">{tool.function.description}</span>
                </li>
              ))}
            </ul>
          </Panel>
        </div>
      )}
    </RowFrame>
  );
}
