import { randomBytes } from 'node:crypto';
import { STORED_KEY } from '../api/sign-in-key.ts';
import { contentSecurityPolicy } from './security-headers.ts';

/**
 * The response to a sign-in link: a cookie, and a page that stores the key for this origin and redirects to the
 * dashboard. The key is in no URL, so a link on another page cannot overwrite it. An invalid link redirects to a page
 * that explains the problem.
 */
export function signInResponse(signedIn: { setCookie: string; key: string } | undefined): Response {
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (signedIn === undefined) {
    headers.set('location', '/?link=used');
    return new Response(null, { status: 303, headers });
  }
  const nonce = randomBytes(16).toString('base64');
  headers.set('set-cookie', signedIn.setCookie);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', contentSecurityPolicy(nonce));
  return new Response(page(signedIn.key, nonce), { headers });
}

const page = (key: string, nonce: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Loupe</title>
<p id="problem" hidden>This browser blocks storage for this address. Allow it, then open a new sign-in link.</p>
<noscript>Loupe needs JavaScript.</noscript>
<script nonce="${nonce}">
try {
  localStorage.setItem('${STORED_KEY}', ${JSON.stringify(key)});
  location.replace('/');
} catch {
  document.getElementById('problem').hidden = false;
}
</script>
</html>
`;
