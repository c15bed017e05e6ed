import type { Metadata } from 'next';
import { Suspense } from 'react';
import { NewRunForm } from '../../../components/new-run/new-run-form.tsx';

export const metadata: Metadata = { title: 'New run' };

export default function Page() {
  return (
    <Suspense>
      <NewRunForm />
    </Suspense>
  );
}
