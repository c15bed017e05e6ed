#!/usr/bin/env node
// Builds the player: the dashboard's timeline as one script and one style sheet that need no server, for exported files,
// shared pages and replays. Run by `ensure.mjs --build`; manually: node scripts/build-player.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/postcss';
import { rolldown } from 'rolldown';
import { playerFolder } from './build-state.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// The version that Tailwind's plug-in was built for.
const postcss = createRequire(import.meta.resolve('@tailwindcss/postcss'))('postcss');

/** Only Latin: embedded fonts are part of every exported file, and other scripts use the reader's fonts. */
const EMBEDDED = [
  {
    family: 'Instrument Sans Variable',
    weight: '400 700',
    package: 'instrument-sans',
    file: 'instrument-sans-latin-wght-normal.woff2',
  },
  {
    family: 'JetBrains Mono Variable',
    weight: '100 800',
    package: 'jetbrains-mono',
    file: 'jetbrains-mono-latin-wght-normal.woff2',
  },
];

/** In the player, formulas are drawn by a separate script that only some pages contain. */
const embeddedFormulas = {
  name: 'embedded-formulas',
  resolveId: (source) =>
    source.endsWith('/content/load-math.ts')
      ? join(root, 'components', 'player', 'embedded-formulas.ts')
      : undefined,
};

/** @param {string} entry file of `components/player` */
async function buildScript(entry) {
  const bundle = await rolldown({
    input: join(root, 'components', 'player', entry),
    plugins: [embeddedFormulas],
    cwd: root,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: 'react-jsx' },
    onLog(level, log, print) {
      // 'use client' is a Next directive without meaning here.
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log);
    },
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false });
  await bundle.close();
  if (output.length !== 1) throw new Error(`${entry} must become one file, and became ${output.length}.`);
  return inertScript(output[0].code);
}

/** The script is embedded in a page: nothing in it may close its element or look like the start of a comment. */
function inertScript(code) {
  const inert = code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  new Function(inert); // throws if a change was not inside a string
  return inert;
}

async function buildStyle() {
  const source = join(root, 'app', 'globals.css');
  // The dashboard's style sheet, with its fonts embedded.
  const withoutFonts = readFileSync(source, 'utf8').replaceAll(/^@import "@fontsource-variable\/.*;\n/gm, '');
  const done = await postcss([tailwind({ base: root, optimize: { minify: true } })]).process(withoutFonts, {
    from: source,
  });
  const style = `${EMBEDDED.map(fontFace).join('')}${done.css}`;
  if (/<\/style/i.test(style) || /url\((?!["']?data:)/.test(style)) {
    throw new Error('The style sheet of the player would end its element, or ask for another file.');
  }
  return style;
}

function fontFace({ family, weight, package: name, file }) {
  const path = join(root, 'node_modules', '@fontsource-variable', name, 'files', file);
  const data = readFileSync(path).toString('base64');
  return `@font-face{font-family:"${family}";font-style:normal;font-display:swap;font-weight:${weight};src:url(data:font/woff2;base64,${data}) format("woff2")}`;
}

async function main() {
  const [script, formulas, style] = await Promise.all([
    buildScript('main.tsx'),
    buildScript('formulas.ts'),
    buildStyle(),
  ]);
  const folder = join(root, playerFolder());
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'player.js'), script);
  writeFileSync(join(folder, 'player-formulas.js'), formulas);
  writeFileSync(join(folder, 'player.css'), style);
  const kilobytes = (text) => `${Math.round(Buffer.byteLength(text) / 1000)} kB`;
  console.info(
    `loupe: the player: ${kilobytes(script)} of script, ${kilobytes(formulas)} for formulas, ${kilobytes(style)} of style`,
  );
}

await main();
