import { startLoupe } from '../e2e/loupe-server.ts';

// Starts the program once and stops it cleanly, because Node writes its compile cache (NODE_COMPILE_CACHE) only then. Tests
// mostly kill their servers, which therefore write nothing.
const loupe = await startLoupe({ ollamaUrl: 'http://127.0.0.1:1' });
await loupe.request('/');
await loupe.stop();
await loupe.dispose();
