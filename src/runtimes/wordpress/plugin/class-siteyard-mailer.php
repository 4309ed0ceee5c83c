<?php
/**
 * Puts a finished message into the outbox instead of sending it. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

class Siteyard_Mailer extends WP_PHPMailer {
	/** The last that is called before a message goes its way: on a copy there is one way, whatever a plugin has set up. */
	public function preSend() {
		if ( SITEYARD_IS_COPY ) {
			$this->Mailer = 'siteyard';
		}
		return parent::preSend();
	}

	/** PHPMailer calls `<mailer>Send` for a mailer that it does not know itself. */
	protected function siteyardSend( $header, $body ) {
		$recipients = array_column( array_merge( $this->getToAddresses(), $this->getCcAddresses(), $this->getBccAddresses() ), 0 );
		$message    = array(
			'from'    => $this->Sender ? $this->Sender : $this->From,
			'to'      => array_values( array_unique( $recipients ) ),
			'message' => base64_encode( rtrim( $header, "\r\n" ) . "\r\n\r\n" . $body ),
		);
		if ( ! siteyard_leave( sprintf( 'mail-%d-%s.json', time(), bin2hex( random_bytes( 6 ) ) ), wp_json_encode( $message ) ) ) {
			throw new PHPMailer\PHPMailer\Exception( 'The platform could not take the message.' );
		}
		return true;
	}
}
