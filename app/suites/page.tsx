import type { Metadata } from 'next';
import { SuitesPage } from '../../components/suites/suites-page.tsx';

export const metadata: Metadata = { title: 'Suites' };

export default function Page() {
  return <SuitesPage />;
}
