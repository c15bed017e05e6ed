import type { ModelErrorKind } from '../model/model-error.ts';
import type { JsonObject } from '../util/json.ts';

/** One call as it was read, for judging. */
export interface ToldCall {
  name: string;
  arguments: JsonObject;
  /** Whether a tool of this name was on offer. */
  offered: boolean;
  /** Why the tool would refuse the arguments; none when they fit. */
  problems: readonly string[];
}

/** One reply as it was read, for judging. */
export interface ToldReply {
  calls: readonly ToldCall[];
  /** Without thoughts and without the text of calls. */
  text: string;
  /** It thought before it said or did anything. */
  thought: boolean;
  /** There was a call that nobody can read, or tokens that never arrived. */
  malformed: boolean;
  /** The reply limit ended it. */
  cut: boolean;
}

/** What happened in a probe: the replies, and what came in place of the next one, if anything. */
export interface Told {
  replies: readonly ToldReply[];
  failure?: { kind: ModelErrorKind; message: string };
}
