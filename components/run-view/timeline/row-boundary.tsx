'use client';

import { Component, type ReactNode } from 'react';

/** An error boundary per row: model and tool output is unpredictable and must not crash the page. */
export class RowBoundary extends Component<{ seq: number; children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <p className="py-1.5 pl-8 text-sm text-fail sm:pl-9">
        Event {this.props.seq} cannot be drawn. The log has all of it; this is a bug in Loupe.
      </p>
    );
  }
}
