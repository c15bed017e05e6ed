import type { Metadata } from 'next';
import { SignInPage } from '../../../components/tools/sign-in-page.tsx';

export const metadata: Metadata = { title: 'Sign in to an MCP server' };

export default function Page() {
  return <SignInPage />;
}
