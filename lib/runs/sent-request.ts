import type { RenderedBy, SentRequestReply } from '../api/sent-request.ts';
import { buildRequest } from '../engine/build-request.ts';
import { foldRun } from '../events/fold-run.ts';
import { CHARS_PER_TOKEN, imageTokensOfRun, messageChars, toolChars } from '../events/message-size.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { wireRequest } from '../model/wire-request.ts';
import { modeOf } from '../modes/mode-of.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';

/** A request rebuilt from a log. */
export interface SentRequest {
  request: ChatRequest;
  /** The run's state in which the call is open. */
  state: ReadyState;
  reply: SentRequestReply;
  /** The model and its server as recorded before the call. */
  recorded: RenderedBy;
}

/**
 * Rebuilds a model call's request from the log, with the same fold and `buildRequest` as when it was sent, so the body is
 * identical to what was sent.
 *
 * @param call number of the call within the run, from 1
 * @returns `undefined` if the log has no such call
 */
export async function sentRequest(
  runId: string,
  pages: AsyncIterable<readonly RunEvent[]>,
  call: number,
): Promise<SentRequest | undefined> {
  let state = emptyRunState(runId);
  let found: SentRequest | undefined;
  for await (const events of pages) {
    for (const event of events) {
      if (found) {
        const ends = event.type === 'model-call.ended' || event.type === 'model-call.failed';
        if (!ends || event.call !== call) continue;
        if (event.prompt_tokens !== undefined) found.reply.evaluated_tokens = event.prompt_tokens;
        return found;
      }
      state = foldRun(state, event);
      if (event.type !== 'model-call.started' || event.call !== call || !isReady(state)) continue;
      const before = state;
      const mode = modeOf(state.config);
      const request = buildRequest(state, mode);
      // If a mode builds its own messages, none of them is shortened.
      const wholes = mode.prompt ? {} : state.folded;
      const { messages } = state;
      const digest = state.loaded?.digest ?? state.preflight?.digest;
      found = {
        request,
        state,
        recorded: {
          ...(digest && { digest }),
          ...(state.preflight?.server_version && { server_version: state.preflight.server_version }),
        },
        reply: {
          call,
          seq: event.seq,
          body: JSON.parse(JSON.stringify(wireRequest(request))),
          messages: request.messages.map((message, index) => {
            const whole = wholes[index] === undefined ? undefined : messages[index]?.content;
            return {
              estimated_tokens:
                Math.ceil(messageChars(message) / CHARS_PER_TOKEN) + imageTokensOfRun(before, [message]),
              ...(message.images && { images: message.images }),
              ...(whole === undefined ? {} : { whole }),
            };
          }),
          tools_estimated_tokens: Math.ceil(toolChars(request.tools) / CHARS_PER_TOKEN),
        },
      };
    }
  }
  return found;
}
