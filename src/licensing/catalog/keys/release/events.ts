import { defineEvents, event } from '#kernel/events.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';

interface Named {
  keyId: string;
  slug: string;
}
interface Why {
  note?: string | null | undefined;
}

/** What happens to the signing keys of a product, in the timeline of the product. */
export const signingKeyEvents = defineEvents(
  'license',
  {
    SIGNING_KEY_ADDED: event<Named & { status: KeyStatus; serverHeld: boolean; note?: string | null }>(),
    SIGNING_KEY_HELD: event<Named & { status: KeyStatus }>(),
    SIGNING_KEY_ROTATION_PLANNED: event<Named & { oldKeyId: string; activateAt: string | null }>(),
    SIGNING_KEY_RETIRED: event<Named & Why & { from: KeyStatus; successor?: string }>(),
    SIGNING_KEY_ACTIVATED: event<Named & Why & { before: string | null }>(),
  },
  { target: 'signing-keys' },
);
