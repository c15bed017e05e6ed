import type { Metadata } from 'next';
import { NewRunForm } from '../../../components/new-run/new-run-form.tsx';

export const metadata: Metadata = { title: 'New run' };

export default function Page() {
  return <NewRunForm />;
}
