// Who may import whom: `npx depcruise lib components app`. The map with what each room is for is in ARCHITECTURE.md.

/** From bottom to top. A room imports only from lower layers, never from another room of its layer. */
const LAYERS = [
  ['lib/util', 'lib/errors', 'lib/statistics'],
  ['lib/parser', 'lib/sandbox', 'lib/demo', 'lib/sharing/player'],
  ['lib/model'],
  ['lib/events', 'lib/config'],
  ['lib/compare', 'lib/images', 'lib/tools', 'lib/sharing/redaction'],
  ['lib/api', 'lib/policies'],
  [
    'lib/store',
    'lib/suites',
    'lib/function-calling',
    'lib/modes',
    'lib/handshake',
    'lib/browser',
    'lib/mcp',
    'lib/ratings',
    'lib/command-tools',
  ],
  ['lib/experiments'],
  ['lib/engine', 'lib/client', 'lib/feed', 'lib/queue', 'lib/sign-ins'],
  ['lib/sharing/exports', 'lib/sharing/links', 'components/hooks'],
  ['lib/checks', 'lib/runs', 'lib/cli', 'components/ui'],
  ['components/plots'],
  ['lib/http', 'lib/models', 'lib/benchmarks', 'lib/testing', 'components/run-view', 'components/shell'],
  [
    'lib/sharing/listener',
    'components/annotate',
    'components/fork',
    'components/player',
    'components/share',
    'components/models',
    'components/folders',
    'components/presets',
  ],
  ['components/compare', 'components/health', 'components/home', 'components/rerun', 'components/tools'],
  ['lib/app', 'components/new-run', 'components/run'],
  ['components/experiments'],
  ['components/gallery', 'components/suites', 'components/benchmarks', 'components/ratings'],
  ['app'],
];

const TESTS = '[.]test[.]tsx?$';
/** What only tests and the gallery use. */
const SAMPLES = '^lib/testing/|^components/gallery/';

const oneOf = (rooms) => `^(${rooms.join('|')})/`;

const layerRules = LAYERS.map((rooms, index) => ({
  name: `layer-${index + 1}`,
  comment: `${rooms.join(', ')}: imports lower layers only`,
  severity: 'error',
  from: { path: oneOf(rooms), pathNot: TESTS },
  to: { path: oneOf(LAYERS.slice(index).flat()), pathNot: '^$1/' },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every-room-has-a-layer',
      severity: 'error',
      from: { path: '^(lib|components)/[^/]+/', pathNot: oneOf(LAYERS.flat()) },
      to: {},
    },
    {
      name: 'handlers-work-without-next',
      comment: 'The server calls route handlers itself (docs/decisions/0040)',
      severity: 'error',
      from: { path: '^app/api/' },
      to: { path: '^node_modules/next/' },
    },
    {
      name: 'dashboard-sees-the-api-only',
      comment: 'The dashboard knows shapes, events and its own state: nothing of the server',
      severity: 'error',
      from: { path: '^(components|lib/browser)/', pathNot: [TESTS, SAMPLES] },
      to: { path: '^lib/', pathNot: '^lib/((api|browser|events|statistics|util)/|parser/layers[.]ts$)' },
    },
    {
      name: 'client-sees-the-api-only',
      comment: 'The client and the command line talk to a server over HTTP, as any program does',
      severity: 'error',
      from: { path: '^lib/(client|cli)/', pathNot: TESTS },
      to: { path: '^lib/', pathNot: '^lib/(api|browser|cli|client|config|errors|events|handshake|util)/' },
    },
    {
      name: 'core-sees-interfaces-only',
      comment: 'The engine, the policies and the modes know no client, no process, no store',
      severity: 'error',
      from: { path: '^lib/(engine|policies|modes)/', pathNot: TESTS },
      to: {
        path: '^lib/(model|tools|sandbox|store)/',
        pathNot: '^lib/(model/(model-error|server-version)|tools/summarize)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'samples-are-for-tests',
      severity: 'error',
      from: { path: '^(lib|components|app)/', pathNot: [TESTS, SAMPLES, '^app/gallery/'] },
      to: { path: SAMPLES },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
