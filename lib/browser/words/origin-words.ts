import type { RenderedReply } from '../../api/sent-request.ts';

const DIGEST_CHARS = 12;

/** Explains whether a rendered prompt is what the model saw in the call. */
export function originWords(
  { template, recorded, current }: RenderedReply,
  model: string,
): { tone: 'calm' | 'warn'; text: string } {
  const server = serverWords(recorded.server_version, current.server_version);
  switch (template) {
    case 'same':
      return {
        tone: server === '' ? 'calm' : 'warn',
        text: `Rendered with the same template as in the run: ${model} is unchanged (${short(current.digest)}).${server}`,
      };
    case 'changed':
      return {
        tone: 'warn',
        text: `Rendered with the current template, not the one used in the run: ${model} has been recreated since (then ${short(recorded.digest)}, now ${short(current.digest)}). The model may have seen a different prompt.${server}`,
      };
    case 'unknown':
      return {
        tone: 'warn',
        text: `Rendered with the current template. It is unknown whether ${model} has changed since the run.${server}`,
      };
  }
}

/** Ollama renders some models with built-in code, which depends on its version. */
function serverWords(recorded: string | undefined, current: string | undefined): string {
  if (recorded === undefined || current === undefined || recorded === current) return '';
  return ` The run used Ollama ${recorded}; version ${current} may render it differently.`;
}

function short(digest: string | undefined): string {
  return digest?.replace(/^sha256:/, '').slice(0, DIGEST_CHARS) ?? 'unknown';
}
