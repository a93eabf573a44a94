import { change, defineEvents } from '#kernel/events.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';
import { signingKeyRecord } from '../record.ts';

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
    SIGNING_KEY_ADDED: change<Named & { status: KeyStatus; serverHeld: boolean; note?: string | null }>(),
    SIGNING_KEY_HELD: change<Named & { status: KeyStatus }>(),
    SIGNING_KEY_ROTATION_PLANNED: change<Named & { oldKeyId: string; activateAt: string | null }>(),
    SIGNING_KEY_RETIRED: change<Named & Why & { from: KeyStatus; successor?: string }>(),
    SIGNING_KEY_ACTIVATED: change<Named & Why & { before: string | null }>(),
  },
  { target: 'signing-keys', record: signingKeyRecord },
);
