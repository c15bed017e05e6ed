import type { ShareFinding, ShareReach } from '#lib/api/share.ts';
import type { ShareScope } from '#lib/events/share-scopes.ts';

const HOUR_MS = 3_600_000;

/** How long a link can be valid, as the dialog offers it. */
export const LIFETIMES = [
  { ms: HOUR_MS, label: '1 hour' },
  { ms: 24 * HOUR_MS, label: '1 day' },
  { ms: 7 * 24 * HOUR_MS, label: '7 days' },
  { ms: 30 * 24 * HOUR_MS, label: '30 days' },
] as const;
export const DEFAULT_LIFETIME_MS = 7 * 24 * HOUR_MS;

export const SCOPE_WORDS: Record<ShareScope, { label: string; note: string }> = {
  everything: { label: 'Everything', note: 'Prompts, replies, calls and results.' },
  without_results: {
    label: 'Without results',
    note: 'Leaves out files and command output. What the model says about them is included.',
  },
  summary: { label: 'Summary', note: 'The task, which tools were called when, figures, and the answer.' },
};

export const GROUP_WORDS: Record<ShareFinding['group'], string> = {
  secret: 'Secrets',
  environment: 'Values of the environment',
  'e-mail': 'E-mail addresses',
  path: 'Local paths',
  address: 'Private addresses',
};

/**
 * Who can open links, and how more could.
 *
 * @param links how many links this is about
 */
export function reachWords(
  { from, base_url, network }: ShareReach,
  links: number,
): { who: string; how: string } {
  const { host, port } = new URL(base_url);
  const these = links === 1 ? 'the link' : 'the links';
  switch (from) {
    case 'loopback':
      return {
        who: `Only this machine can open ${these}.`,
        how: network?.addresses.length
          ? 'Open links to your network below. Behind a tunnel or proxy, set LOUPE_SHARE_URL to its address.'
          : `For your network, start Loupe with LOUPE_SHARE_BIND=0.0.0.0:${port || 4121}. Behind a tunnel or proxy, set LOUPE_SHARE_URL to its address.`,
      };
    case 'network':
      return {
        who: `Anyone who can reach ${host} can open ${these}.`,
        how: 'The connection is not encrypted. Use it only on a trusted network.',
      };
    case 'given':
      return {
        who: `Links begin with ${base_url}.`,
        how: 'Access is controlled at that address, which LOUPE_SHARE_URL sets.',
      };
  }
}
