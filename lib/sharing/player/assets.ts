import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors/app-error.ts';

/** The built player: its scripts, one style sheet, and their hashes for a content security policy. */
export interface PlayerAssets {
  script: string;
  /** The script that draws formulas, for pages that may contain some. */
  formulas: string;
  style: string;
  /** `sha256-…`, without the quotes. */
  scriptHash: string;
  formulasHash: string;
  styleHash: string;
}

/**
 * Reads the built player.
 *
 * @param root the program's folder; defaults to the working directory, which is the same for a started server
 * @throws {AppError} `player_not_built`
 */
export function playerAssets(root = process.cwd()): PlayerAssets {
  // Resolved at run time; the bundler must not follow it.
  const folder = join(/* turbopackIgnore: true */ root, playerFolder(process.env.LOUPE_DIST_DIR));
  let script: string;
  let formulas: string;
  let style: string;
  try {
    script = readFileSync(join(folder, 'player.js'), 'utf8');
    formulas = readFileSync(join(folder, 'player-formulas.js'), 'utf8');
    style = readFileSync(join(folder, 'player.css'), 'utf8');
  } catch (cause) {
    throw new AppError({
      code: 'player_not_built',
      message: `The player is not in ${folder}.`,
      hint: 'Build it with: node scripts/build-player.mjs',
      cause,
    });
  }
  return {
    script,
    formulas,
    style,
    scriptHash: hashOf(script),
    formulasHash: hashOf(formulas),
    styleHash: hashOf(style),
  };
}

/** The output folder of `scripts/build-player.mjs`, next to the matching dashboard build. */
export function playerFolder(distDir: string | undefined): string {
  return distDir ? `${distDir}-player` : 'dist-player';
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
