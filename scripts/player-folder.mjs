/**
 * The folder of the built player, relative to the program: next to the matching dashboard build, so that a test build has
 * its own. Must match `lib/sharing/player/assets.ts`.
 */
export function playerFolder(distDir = process.env.LOUPE_DIST_DIR) {
  return distDir ? `${distDir}-player` : 'dist-player';
}
