import { words } from './amounts.ts';

interface Made {
  readonly status: string;
  readonly amount_cents: number;
}

const sumOf = (made: readonly Made[], status: string): number =>
  made.reduce((sum, one) => (one.status === status ? sum + one.amount_cents : sum), 0);

/** What became of money that was to go back: a processor may take its time. */
export function refundSaid(made: readonly Made[], money: { readonly currency: string }): string {
  const said = [
    ['succeeded', (amount: string) => `${amount} was refunded`],
    [
      'pending',
      (amount: string) => `a refund of ${amount} was requested from the processor and is on its way`,
    ],
    ['failed', (amount: string) => `the processor refused a refund of ${amount}`],
  ] as const;
  const parts = said.flatMap(([status, text]) => {
    const cents = sumOf(made, status);
    return cents === 0 ? [] : [text(words(cents, money))];
  });
  return parts.length === 0 ? 'nothing is refunded' : parts.join('; ');
}

/** What went back, and what is on its way. */
export function refundedWords(made: readonly Made[], money: { readonly currency: string }): string {
  const done = words(sumOf(made, 'succeeded'), money);
  const waiting = sumOf(made, 'pending');
  return waiting === 0 ? done : `${done}, and ${words(waiting, money)} on its way`;
}
