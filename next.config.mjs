/**
 * JavaScript, because Next loads its compiler (30 MB) at every start for a configuration in TypeScript.
 *
 * @type {import('next').NextConfig}
 */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Streams must reach the reader event by event; compression would hold them back.
  compress: false,
  serverExternalPackages: ['better-sqlite3', '@silvia-odwyer/photon-node'],
  // `npm run check` checks types: what is wrong in a test must not keep anybody from starting the program.
  typescript: { ignoreBuildErrors: true },
  // A separate build for tests, so that a running dashboard keeps the one it serves.
  distDir: process.env.LOUPE_DIST_DIR ?? '.next',
  experimental: {
    // The code of a page is loaded when the page is first requested: all of it takes 45 MB and a tenth of the start.
    preloadEntriesOnStart: false,
    // A first build takes half the CPU time without a cache for the next build, source maps, and small code for
    // the server, which nobody downloads.
    turbopackFileSystemCacheForBuild: false,
    turbopackMinify: { server: false, client: true },
    turbopackSourceMaps: false,
    turbopackInputSourceMaps: false,
  },
};

export default config;
