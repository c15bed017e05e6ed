// External programs that Loupe or its tests use, and where they are found.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The headless shell: the tests take 40 % less CPU time than with the full browser in headless mode. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

const CHROMIUM_PLACES = [
  HEADLESS_SHELL,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, name)));
}

/**
 * The path of an installed Chromium or Chrome, or `undefined`. LOUPE_CHROMIUM overrides it.
 *
 * @param {{ fullBrowser?: boolean }} [options] `fullBrowser` skips the headless shell, whose word spacing is too tight for
 *   screenshots
 */
export function findChromium({ fullBrowser = false } = {}) {
  const named = process.env.LOUPE_CHROMIUM;
  if (named) return named;
  return CHROMIUM_PLACES.find((place) => existsSync(place) && !(fullBrowser && place === HEADLESS_SHELL));
}

/**
 * The missing tools that tests need. Missing `required` ones stop the tests; without others, tests are skipped with a
 * message; `optional` ones only make the tests faster.
 */
export function missingSystemTools() {
  const missing = [];
  if (!findChromium()) missing.push({ name: 'Chromium', debianPackage: 'chromium', required: true });
  if (process.platform === 'linux') {
    if (!process.env.LOUPE_CHROMIUM && !existsSync(HEADLESS_SHELL))
      missing.push({
        name: "Chromium's headless shell",
        debianPackage: 'chromium-headless-shell',
        required: false,
        optional: true,
      });
    if (!onPath('bwrap'))
      missing.push({ name: 'bubblewrap', debianPackage: 'bubblewrap', required: Boolean(process.env.CI) });
    if (!existsSync('/usr/lib/postgresql') && !onPath('initdb'))
      missing.push({ name: 'PostgreSQL', debianPackage: 'postgresql', required: Boolean(process.env.CI) });
    if (!onPath('rg'))
      missing.push({ name: 'ripgrep', debianPackage: 'ripgrep', required: Boolean(process.env.CI) });
  }
  return missing;
}
