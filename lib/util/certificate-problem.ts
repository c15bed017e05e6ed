import { errno } from './errno.ts';

const UNTRUSTED = 'its TLS certificate comes from an authority that this machine does not trust';

/** Why the identity of a server cannot be verified, by Node's code. */
const CERTIFICATE_PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  ['CERT_HAS_EXPIRED', 'its TLS certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its TLS certificate is not valid yet'],
  ['CERT_REVOKED', 'its TLS certificate has been revoked'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its TLS certificate is self-signed'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its TLS certificate is for another host'],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
]);

/** Why the identity of a server could not be verified; `undefined` for any other error. Pure. */
export function certificateProblem(error: unknown): string | undefined {
  return CERTIFICATE_PROBLEMS.get(errno(error));
}
