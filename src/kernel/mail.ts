import type { Ctx } from './context.ts';

/** A mail that a capability sends: its words are in `templates/mail/<key>.<language>.md`. */
export interface MailSpec<P extends string = string> {
  readonly key: string;
  /** What its template may name beside the general ones; a name that ends in `_html` is HTML that code made. */
  readonly placeholders: readonly P[];
  /** A value for each, for previews and tests. */
  readonly sample: Readonly<Record<P, string>>;
  /** Its values open something, such as a new password: they are dropped as soon as it is sent or given up. */
  readonly isSecret: boolean;
}

/** Whose mails they are, and how they look. */
export interface MailBrand {
  readonly storeName: string;
  readonly storeUrl: string;
  readonly storeEmail: string | null;
  /** `#rrggbb`. */
  readonly color: string;
  /** A whole address; null: the name stands in its place. */
  readonly logoUrl: string | null;
}

/** Says how mails look now. It reads settings and tables, inside a transaction too. */
export type BrandSource = (ctx: Ctx) => Promise<MailBrand>;
