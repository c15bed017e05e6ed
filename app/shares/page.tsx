import type { Metadata } from 'next';
import { SharesPage } from '../../components/share/shares-page.tsx';

export const metadata: Metadata = { title: 'Shared runs' };

export default function Page() {
  return <SharesPage />;
}
