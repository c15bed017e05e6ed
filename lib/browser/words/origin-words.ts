import type { RenderedReply } from '../../api/sent-request.ts';

const DIGEST_CHARS = 12;

/** Whether a rendered prompt is what the model saw in the call, in a sentence or two. */
export function originWords(
  { template, recorded, current }: RenderedReply,
  model: string,
): { tone: 'calm' | 'warn'; text: string } {
  const server = serverWords(recorded.server_version, current.server_version);
  switch (template) {
    case 'same':
      return {
        tone: server === '' ? 'calm' : 'warn',
        text: `Rendered with the template of the run: ${model} is unchanged (${short(current.digest)}).${server}`,
      };
    case 'changed':
      return {
        tone: 'warn',
        text: `Rendered with today’s template, not the one of the run: ${model} was created anew since (then ${short(recorded.digest)}, now ${short(current.digest)}). The model may have seen another prompt.${server}`,
      };
    case 'unknown':
      return {
        tone: 'warn',
        text: `Rendered with today’s template. Whether ${model} is still the model of the run is unknown.${server}`,
      };
  }
}

/** Ollama renders some models by its own code, which changes with its version. */
function serverWords(recorded: string | undefined, current: string | undefined): string {
  if (recorded === undefined || current === undefined || recorded === current) return '';
  return ` The run used Ollama ${recorded}, this is ${current}, which may render it otherwise.`;
}

function short(digest: string | undefined): string {
  return digest?.replace(/^sha256:/, '').slice(0, DIGEST_CHARS) ?? 'unknown';
}
