import type { NextConfig } from 'next';

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Streams must reach the reader event by event; compression would hold them back.
  compress: false,
  serverExternalPackages: ['better-sqlite3'],
  // `npm run check` checks types: what is wrong in a test must not keep anybody from starting the program.
  typescript: { ignoreBuildErrors: true },
  // A build of its own for tests, so that a running dashboard keeps the one it serves.
  distDir: process.env.LOUPE_DIST_DIR ?? '.next',
};

export default config;
