import type { Metadata } from 'next';
import { ToolChecksPage } from '../../../components/tools/tool-checks-page.tsx';

export const metadata: Metadata = { title: 'Tools on local models' };

export default function Page() {
  return <ToolChecksPage />;
}
