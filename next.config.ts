import type { NextConfig } from 'next';

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Streams must reach the reader event by event; compression would hold them back.
  compress: false,
  serverExternalPackages: ['better-sqlite3', 'undici'],
  typedRoutes: false,
};

export default config;
