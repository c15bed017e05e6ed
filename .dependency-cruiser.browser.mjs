// What must not reach the browser: `npx depcruise --config .dependency-cruiser.browser.mjs components lib/browser`. Imports of
// types are left out: they are gone when the code is built.

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'browser-without-zod-and-node',
      severity: 'error',
      from: { path: '^(components|lib/browser)/', pathNot: ['[.]test[.]tsx?$', '^components/gallery/'] },
      to: {
        path: '(^|/)node_modules/zod/|^(node:)?(fs|path|crypto|os|child_process|events|stream|timers|util|url)(/|$)',
        reachable: true,
      },
    },
    {
      name: 'player-without-server',
      comment: 'The player is one file that runs without a server, and without Next or the cache of replies',
      severity: 'error',
      from: { path: '^components/player/main[.]tsx$' },
      to: { path: 'node_modules/(next|@tanstack)/|^components/hooks/use-api[.]ts$', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: false,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
