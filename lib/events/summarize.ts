import { shortText } from '../util/short-text.ts';
import type { EventHandlers, EventOf, RunEvent, RunEventType } from './registry.ts';
import { conversation } from './summarize/conversation.ts';
import { lifecycle } from './summarize/lifecycle.ts';
import { modelCalls } from './summarize/model-calls.ts';
import { policies } from './summarize/policies.ts';
import { toolCalls } from './summarize/tool-calls.ts';

const MAX_CHARS = 200;

const SENTENCES: EventHandlers<string> = {
  ...lifecycle,
  ...modelCalls,
  ...toolCalls,
  ...policies,
  ...conversation,
};

/** Describes an event in one line of at most 200 UTF-16 units, for logs, exports and screen readers. */
export function summarize(event: RunEvent): string {
  return shortText(sentence(event).slice(0, 2000).replace(/\s+/g, ' '), MAX_CHARS);
}

function sentence<T extends RunEventType>(event: EventOf<T>): string {
  const describe = SENTENCES[event.type as T];
  return describe(event);
}
