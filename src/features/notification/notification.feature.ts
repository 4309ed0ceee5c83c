import { feature } from '../feature.ts';
import { notificationOperations } from './notification.routes.ts';

export const notificationFeature = feature({ name: 'notification', operations: notificationOperations });
