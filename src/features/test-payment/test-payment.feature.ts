import { feature } from '../feature.ts';
import { testPaymentOperations } from './test-payment.routes.ts';

export const testPaymentFeature = feature({ name: 'test-payment', operations: testPaymentOperations });
