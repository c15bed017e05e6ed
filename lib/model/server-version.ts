type Version = readonly [major: number, minor: number, patch: number];

/** Replies with tools can be streamed. */
export const STREAMS_TOOLS: Version = [0, 8, 0];
/**
 * `/api/chat` supports `truncate: false` and refuses a prompt that is too long; earlier versions truncate silently
 * (OL2, OL3).
 */
export const REFUSES_LONG_CHATS: Version = [0, 12, 6];
/** `/api/generate` refuses a prompt that is too long instead of truncating it. */
export const REFUSES_LONG_PROMPTS: Version = [0, 13, 0];
/** Unloads all models after a call that ran out of memory (OL35). */
export const UNLOADS_AFTER_OUT_OF_MEMORY: Version = [0, 30, 0];

/** Whether a server's version (`0.17.4`, `0.12.6-rc0`) is at least the given one; an unknown one is not. */
export function isAtLeast(version: string | undefined, least: Version): boolean {
  if (version === undefined) return false;
  if (last?.version !== version) last = { version, parts: partsOf(version) };
  const { parts } = last;
  if (!parts) return false;
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

/** The version that was compared last: every model call of a run asks about the same. */
let last: { version: string; parts: readonly number[] | undefined } | undefined;

function partsOf(version: string): readonly number[] | undefined {
  return /^v?(\d+)\.(\d+)(?:\.(\d+))?/
    .exec(version)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
}
