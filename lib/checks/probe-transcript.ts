import type { ModelErrorKind } from '../model/model-error.ts';
import type { JsonObject } from '../util/json.ts';

/** A parsed call, to be judged. */
export interface TranscriptCall {
  name: string;
  arguments: JsonObject;
  /** Whether a tool with this name was offered. */
  offered: boolean;
  /** Why the tool would reject the arguments; empty if they are valid. */
  problems: readonly string[];
}

/** A parsed reply, to be judged. */
export interface TranscriptReply {
  calls: readonly TranscriptCall[];
  /** Without thinking and without the text of calls. */
  text: string;
  /** Whether the model thought before replying. */
  thought: boolean;
  /** Whether a call could not be parsed or tokens never arrived. */
  malformed: boolean;
  /** Generated tokens that never arrived. */
  swallowedTokens: number;
  /** Whether the reply limit truncated it. */
  cut: boolean;
}

/** What happened in a probe: the replies, and the failure that ended it, if any. */
export interface ProbeTranscript {
  replies: readonly TranscriptReply[];
  failure?: { kind: ModelErrorKind; message: string };
}
