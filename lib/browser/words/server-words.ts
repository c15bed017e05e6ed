import type { McpAnnotations, McpState, McpToolStatus } from '../../api/mcp.ts';
import type { Tone } from './end-words.ts';

/** The state of a server, for its badge. */
export const SERVER_STATES: Readonly<Record<McpState, { label: string; tone: Tone | undefined }>> = {
  disabled: { label: 'disabled', tone: undefined },
  off: { label: 'off', tone: undefined },
  starting: { label: 'starting', tone: 'live' },
  ready: { label: 'ready', tone: 'ok' },
  failed: { label: 'failed', tone: 'fail' },
};

/** The badge of a server that wants a person to sign in. */
export const SIGN_IN_NEEDED: { label: string; tone: Tone | undefined } = {
  label: 'sign-in needed',
  tone: 'warn',
};

/** The state of a tool since it was accepted, for its badge. */
export const TOOL_STATES: Readonly<
  Record<McpToolStatus, { label: string; tone: Tone | undefined; help: string }>
> = {
  accepted: { label: 'accepted', tone: 'ok', help: 'Runs can use it.' },
  new: { label: 'new', tone: 'warn', help: 'Runs can use it once you accept it.' },
  changed: {
    label: 'changed',
    tone: 'warn',
    help: 'The server describes it differently than when you accepted it.',
  },
  missing: { label: 'missing', tone: 'warn', help: 'You accepted it, but the server no longer has it.' },
  unusable: { label: 'unusable', tone: 'fail', help: 'Loupe cannot use it, so models are not offered it.' },
};

/** A server's claims about a tool, as text. */
export function annotationWords(annotations: McpAnnotations): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return [
    ...(readOnlyHint ? ['only reads'] : []),
    ...(destructiveHint && !readOnlyHint ? ['can destroy'] : []),
    ...(idempotentHint && !readOnlyHint ? ['can be repeated'] : []),
    ...(openWorldHint ? ['reaches outside'] : []),
  ];
}
