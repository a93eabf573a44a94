/** Who acts: printed in events and the audit log. */
export interface Actor {
  readonly kind: 'system' | 'cli' | 'api_key' | 'admin' | 'job' | 'portal';
  readonly id: string | null;
  readonly label: string | null;
  /** Ids that the actor is confined to, such as the products of an API key; what lies outside answers as unknown. */
  readonly confinedTo?: readonly string[] | null;
  /** Staff of the whole installation, not of one tenant. */
  readonly isInstanceWide?: true;
}

export const SYSTEM: Actor = { kind: 'system', id: null, label: null };
