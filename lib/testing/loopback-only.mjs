import { Server } from 'node:net';

// Preloaded into programs of tests that listen at all addresses: they listen at 127.0.0.1 instead. This function makes the
// socket; `listen` itself would look up a host that is added to its arguments, which its callers don't wait for.

const listen = Server.prototype._listen2;
Server.prototype._listen2 = function (address, port, addressType, ...rest) {
  return listen.call(this, address ?? '127.0.0.1', port, address ? addressType : 4, ...rest);
};
