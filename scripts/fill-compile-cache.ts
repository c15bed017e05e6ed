import { startLoupe } from '../e2e/loupe-server.ts';

// Starts the program once and stops it in good order, which is when Node writes what it has compiled to its cache
// (NODE_COMPILE_CACHE). The servers of tests are mostly killed, and so write nothing.
const loupe = await startLoupe({ ollamaUrl: 'http://127.0.0.1:1' });
await loupe.request('/');
await loupe.stop();
await loupe.dispose();
