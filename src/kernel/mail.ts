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
  /**
   * Staff cannot switch it off: without it somebody waits for nothing, or is not warned. So it is with one whose values
   * open something.
   */
  readonly isNeeded?: boolean;
  /** It is not sent until staff switch it on. */
  readonly isOffAtFirst?: boolean;
  /** It goes to members of staff, not to customers. */
  readonly isForStaff?: boolean;
  /**
   * It advertises: it goes to those who agreed to that and names `unsubscribe_url`, with which mail programs end it at
   * one press (RFC 8058).
   */
  readonly isMarketing?: boolean;
  /**
   * Somebody whom its reader never dealt with can have it sent: an address gets at most so many of it in an hour, whoever
   * asks from wherever.
   */
  readonly mostAnHour?: number;
  /**
   * What its places hold when it is sent, in place of what was written with it: nothing of that is stored.
   *
   * @param aboutId id of what it is about
   * @param mail its language, the address that it goes to, and what its other places hold
   */
  late?(
    ctx: Ctx,
    aboutId: string,
    mail: { readonly locale: string; readonly to: string; readonly values: Readonly<Record<string, string>> },
  ): Promise<Readonly<Record<string, string>>>;
  /**
   * Why it would say something wrong by now, such as `nothing is due any more`: it is not sent then. Asked each time that it
   * would be sent; null where it still holds.
   */
  outdated?(
    ctx: Ctx,
    aboutId: string,
    mail: { readonly values: Readonly<Record<string, string>> },
  ): Promise<string | null>;
  /** Placeholders without which it is of no use, beside those that its shipped words have in a button. */
  readonly required?: readonly P[];
}

/**
 * A mail to members of staff about something that happened: who holds the permission may get it, and does unless they
 * chose not to.
 */
export interface StaffMail {
  readonly mail: MailSpec;
  /** Permission of whoever gets it. */
  readonly needs: string;
  /** Permission of whoever gets it without asking; others who may have it choose it. All of them when absent. */
  readonly sentTo?: string;
  /** Addresses that get it in place of staff; none of them: staff do. */
  recipients?(ctx: Ctx): readonly string[];
  /** What it is about, for lists: `New orders`. */
  readonly label: string;
  /** What staff find it by, such as `order`. */
  readonly about: string;
  /**
   * What its places hold now, some time after it happened.
   *
   * @returns null when there is nothing to say any more
   */
  values(ctx: Ctx, subject: string): Promise<Readonly<Record<string, string>> | null>;
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
