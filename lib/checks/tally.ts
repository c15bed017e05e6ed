import type { CheckMeasured } from '../api/model-check.ts';
import { isTimed } from '../events/speed.ts';
import type { ChatReply } from '../model/chat-model.ts';
import type { ParsedReply } from '../parser/types.ts';

/** Counts over all replies of a check. */
export class Tally {
  readonly counts: CheckMeasured = {
    replies: 0,
    calls: 0,
    layers: { native: 0, json: 0, xml: 0 },
    formats: {},
    repaired: 0,
    coerced: 0,
    refused: 0,
    malformed: 0,
    timed_tokens: 0,
    eval_ms: 0,
    thinking_replies: 0,
    thinking_chars: 0,
  };

  /** @param malformed whether a call in it could not be parsed */
  addReply(reply: ChatReply, parsed: ParsedReply, malformed: boolean): void {
    const { counts } = this;
    counts.replies += 1;
    for (const { layer, format } of parsed.origins) {
      counts.calls += 1;
      counts.layers[layer] += 1;
      counts.formats[format] = (counts.formats[format] ?? 0) + 1;
    }
    counts.repaired += Math.min(1, parsed.repairs.length);
    counts.coerced += Math.min(1, parsed.coercions.length);
    counts.refused += parsed.refusals.length;
    counts.malformed += malformed ? 1 : 0;
    const { replyTokens, timings } = reply;
    if (isTimed(replyTokens, timings.evalMs)) {
      counts.timed_tokens += replyTokens ?? 0;
      counts.eval_ms += timings.evalMs ?? 0;
    }
    counts.thinking_replies += Math.min(1, parsed.thinking.length);
    counts.thinking_chars += parsed.thinking.length;
  }

  /** Counts a reply that Ollama could not parse and did not return. */
  addUnread(): void {
    this.counts.replies += 1;
    this.counts.malformed += 1;
  }
}
