export { deliveryValues } from './delivery-form.ts';
export { countriesShown } from './delivery-words.ts';
export {
  downloadShown,
  FileForm,
  linkRefused,
  pathToFile,
} from './download-model.ts';
export { deliveredShown } from './license-model.ts';
export { orderShown, standingShown, type TimeShown, timeIn } from './order-model.ts';
export { invoiceFile } from './order-page.ts';
export { refusedIn } from './refusals.ts';
export {
  cancelFrom,
  MessageForm,
  NoForm,
  photoFiles,
  RequestForm,
  requestFrom,
  TrackingForm,
  trackFrom,
  writeFrom,
} from './return-forms.ts';
export { returnableShown, returnShown, returnsShown } from './return-model.ts';
export { labelFile } from './return-pages.ts';
