import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors/app-error.ts';

/** The player as it was built: one script and one style sheet, and their hashes as a content policy writes them. */
export interface PlayerAssets {
  script: string;
  style: string;
  /** `sha256-…`, without the quotes. */
  scriptHash: string;
  styleHash: string;
}

/**
 * The built player.
 *
 * @param root the folder of the program; default: the working folder, which is the same for a started server
 * @throws {AppError} `player_not_built`
 */
export function playerAssets(root = process.cwd()): PlayerAssets {
  // A place that is known when it runs: the build must not look for it.
  const folder = join(/* turbopackIgnore: true */ root, playerFolder(process.env.LOUPE_DIST_DIR));
  let script: string;
  let style: string;
  try {
    script = readFileSync(join(folder, 'player.js'), 'utf8');
    style = readFileSync(join(folder, 'player.css'), 'utf8');
  } catch (cause) {
    throw new AppError({
      code: 'player_not_built',
      message: `The player is not in ${folder}.`,
      hint: 'Build it with: node scripts/build-player.mjs',
      cause,
    });
  }
  return { script, style, scriptHash: hashOf(script), styleHash: hashOf(style) };
}

/** Where `scripts/build-player.mjs` puts the player: beside the build of the dashboard that it belongs to. */
export function playerFolder(distDir: string | undefined): string {
  return distDir ? `${distDir}-player` : 'dist-player';
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
