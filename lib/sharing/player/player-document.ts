import type { PlayerAssets } from './assets.ts';

/**
 * An HTML page with only the player, in two parts: the data goes between them as `inertJson`, so that a long log can be
 * written piece by piece.
 *
 * `tail` takes whether the run may contain formulas (`mayHaveFormulas`): the script that draws them is a third of the
 * player.
 *
 * @param options.policy the content security policy as a meta element; omit it if it is sent as a header
 */
export function playerDocument(options: { assets: PlayerAssets; title: string; policy?: string }): {
  head: string;
  tail: (page: { formulas: boolean }) => string;
} {
  const { assets, title, policy } = options;
  const meta = policy ? `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">\n` : '';
  return {
    head: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${assets.style}</style>
</head>
<body>
<div id="loupe"><noscript>This page needs JavaScript to show the recorded run. Its script is in the page.</noscript></div>
<script type="application/json" id="loupe-source">`,
    tail: ({ formulas }) => `</script>
<script>${assets.script}</script>
${formulas ? `<script>${assets.formulas}</script>\n` : ''}</body>
</html>
`,
  };
}

/**
 * The content security policy of the player's page: it may use its own scripts and style sheet and nothing else, so no
 * content of a run can cause a request.
 *
 * @param connect the allowed connections; `'self'` for the event stream of a shared page
 */
export function playerPolicy(assets: PlayerAssets, connect: "'self'" | "'none'" = "'none'"): string {
  return [
    "default-src 'none'",
    `script-src '${assets.scriptHash}' '${assets.formulasHash}'`,
    `style-src '${assets.styleHash}'`,
    'img-src data:',
    'font-src data:',
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const INERT: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON that is safe inside a script element: `<`, `>`, `&` and line separators in its texts are escaped. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (found) => INERT[found] ?? found);
}

/** Whether a text of the log, as JSON, contains the start of a formula in Markdown. */
export function mayHaveFormulas(json: string): boolean {
  return /\$[^\s"]|\\\\[([]/.test(json);
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (found) => entities[found] ?? found);
}
