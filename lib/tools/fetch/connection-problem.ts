import { errno } from '../../util/errno.ts';
import { errorMessage } from '../../util/error-message.ts';

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

const CONNECTION_PROBLEMS: ReadonlyMap<string | undefined, string> = new Map([
  ['ECONNREFUSED', 'it refused the connection'],
  ['ECONNRESET', 'it closed the connection'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['ENETUNREACH', 'there is no route to it'],
  ['EPROTO', 'it does not speak TLS as expected; it may serve http only'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS as expected; it may serve http only'],
  ['HPE_HEADER_OVERFLOW', 'its headers are too long'],
]);

/** Why a request failed, for the model, completing a sentence about the server. Pure. */
export function connectionProblem(error: unknown): string {
  const code = errno(error);
  const certificate = CERTIFICATE_PROBLEMS.get(code);
  if (certificate !== undefined) {
    return `${certificate}, so it cannot be verified that this is the right server. Trying again will not help.`;
  }
  const known = CONNECTION_PROBLEMS.get(code);
  if (known !== undefined) return `${known}.`;
  return errorMessage(error).slice(0, 300);
}
