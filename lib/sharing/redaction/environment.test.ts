import { expect, it } from 'vitest';
import { environmentSecrets } from './environment.ts';

it('redacts the database URL and its password [threat 11]', () => {
  const url = 'postgres://loupe:se%40cret-word@db.example:5432/loupe';
  expect(
    environmentSecrets({ LOUPE_DATABASE_URL: url, LOUPE_PORT: '4120', LOUPE_DATA_DIR: '/srv/x' }),
  ).toEqual([url, 'se%40cret-word', 'se@cret-word']);
});

it('recognizes a secret by its name and a password within a URL, even in otherwise plain variables', () => {
  expect(
    environmentSecrets({
      NPM_TOKEN: 'corp.registry.value',
      npm_config__auth: 'corp-registry-auth',
      npm_package_name: 'some-package-name',
      OLLAMA_HOST: 'https://ada:gpu-pass-1@gpu.example.org',
      LOUPE_OTLP_ENDPOINT: 'https://ada:otlp-pass-1@otel.example.org/v1/traces',
    }),
  ).toEqual(['corp.registry.value', 'corp-registry-auth', 'gpu-pass-1', 'otlp-pass-1']);
});

it('returns a URL without a password unchanged', () => {
  expect(environmentSecrets({ SERVICE_URL: 'https://service.example/path' })).toEqual([
    'https://service.example/path',
  ]);
});
