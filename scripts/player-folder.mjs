/**
 * Where the built player is, from the folder of the program: beside the build of the dashboard that it belongs to, so
 * that a build for tests has its own. `lib/player/assets.ts` looks there as well.
 */
export function playerFolder(distDir = process.env.LOUPE_DIST_DIR) {
  return distDir ? `${distDir}-player` : 'dist-player';
}
