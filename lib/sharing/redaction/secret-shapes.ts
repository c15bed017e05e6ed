import { escapePattern } from '../../util/escape-pattern.ts';
import type { Match } from './match.ts';
import { ALNUM, BASE64, CharSet, type TextRuns, WORD } from './text-runs.ts';

interface Shape {
  kind: string;
  prefixes: readonly string[];
  body: CharSet;
  /** Minimum length after the prefix. Low for distinctive prefixes, so that truncated tokens match too. */
  min: number;
}

const UPPER = new CharSet(/[A-Z0-9]/);
const LOWER = new CharSet(/[a-z0-9]/);
const HEX = new CharSet(/[0-9a-f]/);
const DOTTED = new CharSet(/[A-Za-z0-9_.-]/);
const PATH = new CharSet(/[A-Za-z0-9_/-]/);
const AT_PATH = new CharSet(/[A-Za-z0-9_/@-]/);
const URL_BODY = new CharSet(/[A-Za-z0-9_/.%+=-]/);

/** Tokens with a recognizable prefix. */
const SHAPES: readonly Shape[] = [
  { kind: 'aws key', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: UPPER, min: 12 },
  // Session tokens: their first bytes are constant.
  { kind: 'aws token', prefixes: ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz', 'FQoGZXIvYXdz'], body: BASE64, min: 16 },
  {
    kind: 'github token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    body: WORD,
    min: 10,
  },
  {
    kind: 'gitlab token',
    prefixes: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glsoat-', 'glcbt-', 'glft-', 'glagent-'],
    body: DOTTED,
    min: 10,
  },
  {
    kind: 'slack token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xapp-'],
    body: URL_BODY,
    min: 8,
  },
  { kind: 'teams webhook', prefixes: ['webhook.office.com/webhookb2/'], body: AT_PATH, min: 16 },
  { kind: 'slack webhook', prefixes: ['hooks.slack.com/services/'], body: PATH, min: 8 },
  {
    kind: 'discord webhook',
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    body: PATH,
    min: 8,
  },
  {
    kind: 'stripe key',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    body: WORD,
    min: 8,
  },
  { kind: 'anthropic key', prefixes: ['sk-ant-'], body: WORD, min: 8 },
  {
    kind: 'openai key',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-v1-', 'sk-None-'],
    body: WORD,
    min: 8,
  },
  { kind: 'openai key', prefixes: ['sk-'], body: ALNUM, min: 20 },
  { kind: 'google key', prefixes: ['AIza'], body: WORD, min: 20 },
  { kind: 'google token', prefixes: ['ya29.', 'GOCSPX-', '1//0'], body: DOTTED, min: 12 },
  { kind: 'firebase key', prefixes: [':APA91b'], body: WORD, min: 40 },
  { kind: 'npm token', prefixes: ['npm_'], body: ALNUM, min: 30 },
  { kind: 'pypi token', prefixes: ['pypi-AgE'], body: WORD, min: 16 },
  { kind: 'hugging face token', prefixes: ['hf_', 'api_org_'], body: ALNUM, min: 20 },
  { kind: 'digitalocean token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: HEX, min: 16 },
  { kind: 'docker token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: WORD, min: 12 },
  { kind: 'databricks token', prefixes: ['dapi'], body: HEX, min: 32 },
  { kind: 'shopify token', prefixes: ['shpat_', 'shpss_', 'shpca_', 'shppa_'], body: ALNUM, min: 16 },
  { kind: 'square token', prefixes: ['sq0atp-', 'sq0csp-', 'sq0idp-'], body: WORD, min: 16 },
  { kind: 'sendgrid key', prefixes: ['SG.'], body: DOTTED, min: 30 },
  { kind: 'twilio key', prefixes: ['AC', 'SK'], body: HEX, min: 32 },
  { kind: 'mailgun key', prefixes: ['key-'], body: HEX, min: 32 },
  { kind: 'linear key', prefixes: ['lin_api_', 'lin_oauth_'], body: ALNUM, min: 16 },
  { kind: 'notion token', prefixes: ['ntn_'], body: ALNUM, min: 30 },
  { kind: 'grafana token', prefixes: ['glsa_', 'glc_'], body: WORD, min: 24 },
  { kind: 'vault token', prefixes: ['hvs.', 'hvb.', 'hvr.'], body: WORD, min: 20 },
  { kind: 'doppler token', prefixes: ['dp.st.', 'dp.pt.', 'dp.ct.'], body: DOTTED, min: 16 },
  { kind: 'atlassian token', prefixes: ['ATATT3', 'ATCTT3'], body: BASE64, min: 24 },
  { kind: 'new relic key', prefixes: ['NRAK-', 'NRJS-'], body: ALNUM, min: 16 },
  { kind: 'sentry token', prefixes: ['sntrys_', 'sntryu_'], body: BASE64, min: 20 },
  { kind: 'postman key', prefixes: ['PMAK-'], body: WORD, min: 20 },
  { kind: 'figma token', prefixes: ['figd_'], body: WORD, min: 20 },
  { kind: 'supabase key', prefixes: ['sbp_', 'sb_secret_'], body: WORD, min: 20 },
  {
    kind: 'planetscale token',
    prefixes: ['pscale_pw_', 'pscale_tkn_', 'pscale_oauth_'],
    body: WORD,
    min: 16,
  },
  { kind: 'netlify token', prefixes: ['nfp_'], body: WORD, min: 30 },
  { kind: 'heroku key', prefixes: ['HRKU-'], body: WORD, min: 20 },
  { kind: 'fly token', prefixes: ['fm2_', 'fo1_'], body: BASE64, min: 24 },
  { kind: 'ruby gems key', prefixes: ['rubygems_'], body: HEX, min: 24 },
  { kind: 'nuget key', prefixes: ['oy2'], body: LOWER, min: 43 },
  { kind: 'cargo token', prefixes: ['cio'], body: ALNUM, min: 32 },
  { kind: 'groq key', prefixes: ['gsk_'], body: ALNUM, min: 20 },
  { kind: 'replicate token', prefixes: ['r8_'], body: ALNUM, min: 24 },
  { kind: 'xai key', prefixes: ['xai-'], body: ALNUM, min: 24 },
  { kind: 'perplexity key', prefixes: ['pplx-'], body: ALNUM, min: 24 },
  { kind: 'age key', prefixes: ['AGE-SECRET-KEY-1'], body: UPPER, min: 20 },
  { kind: 'azure key', prefixes: ['AccountKey=', 'SharedAccessKey='], body: BASE64, min: 16 },
  {
    kind: 'password hash',
    prefixes: ['$1$', '$apr1$', 'pbkdf2_sha256$', '$6$', '$5$', '$y$', '$2a$', '$2b$', '$2y$', '$argon2'],
    body: new CharSet(/[A-Za-z0-9_./$,=+-]/),
    min: 20,
  },
  { kind: 'ssh key', prefixes: ['ssh-rsa AAAA', 'ssh-ed25519 AAAA', 'ssh-dss AAAA'], body: BASE64, min: 16 },
  {
    kind: 'ssh key',
    prefixes: [
      'ecdsa-sha2-nistp256 AAAA',
      'ecdsa-sha2-nistp384 AAAA',
      'ecdsa-sha2-nistp521 AAAA',
      'sk-ssh-ed25519@openssh.com AAAA',
    ],
    body: BASE64,
    min: 16,
  },
  { kind: 'sign-in link', prefixes: ['/?t=', '/#t='], body: URL_BODY, min: 16 },
];

/** Most texts contain no prefix, so one scan is enough for them. */
const ANY_PREFIX = new RegExp(
  SHAPES.flatMap(({ prefixes }) => prefixes)
    .map(escapePattern)
    .join('|'),
);

/** Finds secrets with a recognizable prefix or shape. */
export function* findShapes(runs: TextRuns): Iterable<Match> {
  if (ANY_PREFIX.test(runs.text)) yield* findPrefixed(runs);
  yield* findWebTokens(runs);
  yield* findPatterns(runs.text);
  yield* findPrivateKeys(runs);
}

function* findPrefixed(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (const { kind, prefixes, body, min } of SHAPES) {
    for (const prefix of prefixes) {
      for (let at = text.indexOf(prefix); at >= 0; ) {
        const from = at + prefix.length;
        const runEnd = runs.endOf(body, from);
        const length = runEnd - from;
        // A short prefix inside a word does not count.
        const alone =
          prefix.length > 3 || !ALNUM.has(prefix.charCodeAt(0)) || !WORD.has(text.charCodeAt(at - 1));
        const fits = length >= min && alone;
        if (fits) yield { kind, group: 'secret', start: at, end: runEnd };
        at = text.indexOf(prefix, fits ? runEnd : from);
      }
    }
  }
}

/** JSON Web Tokens: header, body and optional signature in base64url; encrypted ones have five parts. */
function* findWebTokens(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (let at = text.indexOf('eyJ'); at >= 0; ) {
    const header = runs.endOf(WORD, at);
    const body = text.charAt(header) === '.' ? runs.endOf(WORD, header + 1) : header;
    let end = text.charAt(body) === '.' ? runs.endOf(WORD, body + 1) : body;
    // In an encrypted or session token only the header is a JSON object; its length distinguishes it from a dotted name.
    if (
      body === header ||
      !(text.startsWith('eyJ', header + 1) || (header - at >= 12 && end - body > 20 - (body - header)))
    ) {
      at = text.indexOf('eyJ', header);
      continue;
    }
    for (let part = 0; part < 2 && text.charAt(end) === '.'; part += 1) end = runs.endOf(WORD, end + 1);
    yield { kind: 'web token', group: 'secret', start: at, end };
    at = text.indexOf('eyJ', end);
  }
}

/** Tokens with a recognizable overall shape. */
const PATTERNS: readonly { kind: string; pattern: RegExp }[] = [
  { kind: 'telegram token', pattern: /(?<![0-9A-Za-z])\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { kind: 'discord token', pattern: /(?<![\w-])[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g },
  { kind: 'terraform token', pattern: /(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,100}/g },
  { kind: 'airtable token', pattern: /(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/g },
  // The secret half of a key pair, which has no recognizable shape.
  {
    kind: 'aws key',
    pattern: /(?<=(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9+/\n]{1,8})[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
  },
  // 128 bits, as generated by Loupe; a longer name is a folder.
  { kind: 'share link', pattern: /\/s\/[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])/g },
];

function* findPatterns(text: string): Iterable<Match> {
  for (const { kind, pattern } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      yield { kind, group: 'secret', start: match.index, end: match.index + match[0].length };
    }
  }
}

/** Characters between the lines of a key, including line numbers and escaped line breaks. */
const KEY_BODY = new CharSet(/[A-Za-z0-9+/=\s\\:,|-]/);
const MAX_KEY_CHARS = 20_000;

/** Key blocks from BEGIN to END, and PuTTY keys. If one end is missing, everything that may belong to the key. */
function* findPrivateKeys(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  let after = 0;
  for (const match of text.matchAll(
    /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|---- (BEGIN|END) SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|Private-Lines: \d{1,4}/g,
  )) {
    const start = match.index;
    const [whole, pem, ssh] = match;
    const end = start + whole.length;
    if (start < after) continue;
    if (ssh === 'END') continue;
    if (pem === undefined) {
      // These formats end differently, so take everything that may belong to the key.
      after = runs.endOf(KEY_BODY, end);
      yield { kind: 'private key', group: 'secret', start: ssh ? start : end, end: after };
    } else if (pem === 'BEGIN') {
      const close = runs.next('-----END ', end);
      const tail = close < text.length ? text.indexOf('-----', close + 9) : -1;
      after =
        tail >= 0 && close - end < MAX_KEY_CHARS && tail - close < 100 ? tail + 5 : runs.endOf(KEY_BODY, end);
      yield { kind: 'private key', group: 'secret', start, end: after };
    } else {
      let from = start;
      while (from > after && KEY_BODY.has(text.charCodeAt(from - 1))) from -= 1;
      yield { kind: 'private key', group: 'secret', start: from, end };
      after = end;
    }
  }
}
