/** A page of the sample shop, in Markdown. */
export interface SamplePage {
  readonly slug: string;
  readonly title: string;
  readonly seo: string;
  readonly text: string;
}

/** What every shop has to say; the texts tell their owner what belongs there. */
export const pages: readonly SamplePage[] = [
  {
    slug: 'about',
    title: 'About us',
    seo: 'Who runs the shop, and what it sells.',
    text: `We sell things that are made to be kept: gear for the weekend, tools for the kitchen and the desk, and software that stays on your computer.

## What we look for

- It can be repaired, and its parts can be bought.
- We have used it ourselves for a season.
- It costs what it is worth, on every day of the year.

This page is part of the sample data. Tell here who you are and why people buy from you.`,
  },
  {
    slug: 'shipping',
    title: 'Shipping',
    seo: 'How long an order takes, and what shipping costs.',
    text: `Orders that reach us before noon leave on the same working day.

## How long it takes

- **Within the country**: two to three working days
- **Abroad**: five to eight working days
- **Downloads and license keys**: at once

This page is part of the sample data. State your own times, costs and countries here.`,
  },
  {
    slug: 'returns',
    title: 'Returns',
    seo: 'How to send something back.',
    text: `You may send goods back within 30 days, unused and in their packaging. Write to us with the [contact form](/shop/contact) first.

## How you get your money back

We pay the whole price back within a week after the goods reached us, in the way in which you paid.

This page is part of the sample data. State the terms of your own shop here, and what the law of your country asks for.`,
  },
  {
    slug: 'privacy',
    title: 'Privacy',
    seo: 'Which data the shop stores, and for how long.',
    text: `The shop stores what you send with its forms. It sets cookies that it needs to work, and none for advertising.

## What you can ask for

Ask with the [contact form](/shop/contact) which data we have about you, and we correct or delete it.

This page is part of the sample data. Put the privacy policy of your business here before the shop opens.`,
  },
  {
    slug: 'terms',
    title: 'Terms',
    seo: 'The terms under which the shop sells.',
    text: `These terms apply to what you buy in this shop.

## Prices

The price that counts is the one that is shown when you order.

This page is part of the sample data. Put the terms of your business here before the shop opens.`,
  },
];

/** What the header leads to: departments by slug with what is under them, and a collection. */
export const header = {
  categories: ['outdoor', 'home', 'office', 'digital'],
  collection: 'on-sale',
} as const;
