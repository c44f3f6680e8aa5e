/** Words that people and programs call secrets by, in the form that `plainWords` gives: `~` stands for any letters and digits, the rest is a regular expression. */

/** Passwords and the like. */
const PASSWORDS = [
  '~passw(or)?d~',
  '~passwort~',
  '~kennwort~',
  '~losungswort~',
  '~passphrase~',
  '~passcode~',
  '~pwd~',
  'pswd',
  'psw',
  '^(user|login|my|new|old|confirm|admin|sudo|root|db)? ?pw\\d?$',
  'pass (word|code|phrase)',
  '^(user|login|my|new|old|current|confirm|repeat|db|email|mail|ftp|smtp|wifi|wlan|root|admin|txt|wp)? ?pass ?\\d?$',
  '~mot de passe~',
  '~motdepasse~',
  'mdp',
  'code d acces',
  'code secret',
  'contrasenya',
  '~contrasena~',
  '^(tu |su |la )?clave$',
  'clave (de )?(acceso|secreta|dinamica|privada|personal|api|internet|cajero|firma|operaciones)',
  'senhas?',
  'palavra ?passe',
  'codigo de acesso',
  'parola d ordine',
  '^((yeni|eski|mevcut) )?parola(niz|yi girin)?$',
  'wachtwoord~',
  '~wachtwoord',
  'toegangscode',
  'hasl(o|a|em)',
  'парол[а-я]*',
  'кодов[а-я]+ слов[а-я]+',
  'sifre~',
  'losenord~',
  'adgangskode~',
  'passord~',
  'salasana~',
  'hesl[oa]',
  'jelsz(o|av)~',
  'mat khau',
  'kata sandi',
  'kata laluan',
  '(confirma(ti)?|repeta(ti)?|introdu|introduceti|reintroduceti|reintrodu|schimba)( noua)? parola',
  'parola (noua|veche|actuala|curenta|contului)',
  'lozink[aeu]',
  'gesl[oa]',
  'contrasinal~',
  'pasahitz~',
  'slaptazod~',
  'parool~',
  'salasona~',
  'lykilorð~',
  '~tunnusluku~',
  'nenosiri',
  'sifrə~',
  'құпия ?сөз~',
  'პაროლ~',
  'գաղտնաբառ~',
  '^κωδικ[οό]ς$',
  'κωδικ(ός|ος|ού|ου|ό|ο) πρ[οό]σβασης',
  'ה?סיסמ(ה|א|ת|תך)',
  'كلمة (ال)?(مرور|سر)',
  'رمز عبور',
  'گذرواژه~',
  'پاس ?ورڈ',
  'पासवर्ड',
  'পাসওয়ার্ড',
  'கடவுச்சொல்',
  'పాస్ ?వర్డ్',
  'pword|psswd|passwrd|pssword',
  'pass ?number',
  'wagwoord~',
  '[cg]h?yfrinair~',
  'ph?asfhocal~',
  'pasvorto~',
  'passwuert~',
  'loyniorð~',
  'modpas',
  'fjalekalim~',
  'iphasiwedi',
  'neno la siri',
  '(jauna|veca|pasreizeja|ievadiet) parol[ei]|parole (atkartoti|velreiz)',
  '^(yangi |joriy )?parol(ni|ingiz|ingizni|i)?( kiriting| takrorlang| tasdiqlang)?$',
  '^(kata )?sandi( baru| lama| saat ini| anda)?$',
  'palabra secreta|mot secret|parola (chiave )?segreta|~geheimwort~',
  'нууц үг',
  'купуя сөз|сырсөз~|серсүз~|гузарвожа~',
  'лозинк[аеу]',
  'የይለፍ ቃል',
  'پټنوم|پاسورډ',
  'وشەی نهێنی|تێپەڕەوشە',
];

/** Codes that are asked for once, and those of a card or a phone. */
const CODES = [
  'pin\\d?',
  'puk\\d?( code)?',
  '~geheimzahl~',
  '(user|card|atm|sim|phone|my|new|old|login|bank|e) ?pin',
  'pin ?(code|kod|kodu|number|nummer|no)',
  'пин( код)?',
  'm?otp\\d*',
  'h?totp',
  '2fa~',
  '~2fa',
  'mfa~',
  'tfa( code| token)?',
  'authenticator app code',
  'personal identification number',
  '(sms|m|i|push|photo|chip)? ?tan( (nummer|code|eingeben|nr))?',
  'one time (code|pass\\w*|pin)',
  'onetime(code|pin|password)?',
  '(verification|verify|verifying|security|authentication|authenticator|auth|authorization|sms|login|sign in|signin|access|backup|recovery|confirmation|two factor|mfa|unlock|secret|digit) (code|pin|number)s?',
  '(verification|security|auth|authentication|access|backup|recovery|confirm|sms|login)codes?',
  'code (we|that we|sent|texted|from your|from (google|microsoft|duo|okta|authy)|from the (app|sms|text|authenticator))',
  '~(bestatigungs|sicherheits|einmal|verifizierungs|freigabe|entsperr|zugangs|wiederherstellungs|anmelde|prufungs)code~',
  'zugangsdaten',
  'prufziffer|prufnummer|kartenprufnummer',
  'code (de |d )?(verification|securite|confirmation|validation|authentification|recuperation|usage unique|a usage unique|sms)',
  '((entrez|saisissez|tapez) )?(le |votre )?code (recu|envoye)( (par|via|sur|a) .*)?',
  'code aus (der|ihrer|deiner) (authenticator|authentifizierungs|sms|app|e mail|mail).*',
  'cryptogramme~',
  'codigo (de )?(verificacion|seguridad|confirmacion|acceso|autenticacion|recuperacion|un solo uso|sms)',
  'codigo (enviado|recibido|recebido) (por|via|no|al|a) .*',
  'codigo (de )?(verificacao|seguranca|confirmacao|autenticacao|recuperacao|uso unico|acesso)',
  'codice (di |d )?(verifica|sicurezza|conferma|autenticazione|recupero|accesso|monouso|sms|segreto)',
  '(verificatie|beveiligings|bevestigings|herstel|sms|eenmalige|controle) ?code',
  'kod (weryfikacyjny|potwierdzajacy|autoryzacyjny|jednorazowy|bezpieczenstwa|sms|z sms|odzyskiwania|dostepu)',
  'код (подтверждения|проверки|безопасности|доступа|восстановления|авторизации|из (смс|sms|сообщения|приложения|письма))',
  '(смс|sms|одноразовый|проверочный|секретный|защитный) код',
  '(dogrulama|onay|guvenlik|sms|kurtarma|giris|tek kullanimlik) (kod(u\\w*)?|sifre)',
  '(sms|e posta|telefon) ile (gelen|gonderilen) kod(u\\w*)?',
  '(engangs|sakerhets|sikkerheds|sikkerhets|verifierings|verifikations|bekraftelse|bekræftelse|bekreftelse|godkendelses|tilgangs|inloggnings)s?kod(e|en)?',
  'kod(en)? fran (sms|appen)|kod(en|e) fra (sms|appen)|sms kode',
  'kontrol(l)?(cifre|siffer|siffra|siffror)',
  '~(kertakaytto|turva|vahvistus|varmistus|varmennus|tunnistus|palautus)koodi~',
  '(overovaci|bezpecnostni|bezpecnostny|jednorazovy|potvrzovaci|potvrdzovaci|autorizacni|autorizacny|obnovovaci|pristupovy) kod',
  'kod (z|ze|zo) (sms|aplikace|aplikacie|e ?mailu|spravy|zpravy)',
  '(ellenorzo|biztonsagi|megerosito|hitelesito|egyszer hasznalatos|sms|belepesi) ?kod(ja|od)?|sms ben kapott kod',
  'cod(ul)? (de )?(verificare|securitate|confirmare|autentificare|recuperare|validare|acces|unic)',
  'cod(ul)? (unic )?(din|prin) sms',
  'κωδικ(ός|ος|ού|ου|ό|ο) (επαλ[ηή]θευσης|ασφαλε[ιί]ας|επιβεβα[ιί]ωσης|μ[ιί]ας χρ[ηή]σης|ταυτοπο[ιί]ησης|sms|otp|pin)',
  'код (підтвердження|перевірки|безпеки|доступу|відновлення|авторизації|(із|з|зі) (смс|sms|повідомлення|застосунку|листа))',
  '(одноразов|перевірочн|секретн|захисн|еднократен|защитен|секретен)[а-яії]* код',
  'код за (потвърждение|сигурност|достъп|проверка|възстановяване)',
  '(sigurnosni|jednokratni|verifikacijski|verifikacioni|kontrolni) (kod|broj)( kartice)?',
  '(varnostna|potrditvena|enkratna) koda',
  'kod za (potvrdu|provjeru|proveru|prijavu)',
  'ma (xac (minh|thuc|nhan)|otp|bao mat|pin|khoi phuc|dung mot lan)',
  'kode? (verifikasi|otp|keamanan|pemulihan|sms|konfirmasi|sekali pakai|akses|rahasia|pengesahan|keselamatan)',
  'codi (de |d )?(verificacio|seguretat|confirmacio|acces|un sol us)',
  'ओटीपी',
  '(सत्यापन|सुरक्षा|पुष्टिकरण) कोड',
  '^(एटीएम |यूपीआई |आपका |नया )?पिन$',
  '(ال)?رمز (ال)?(تحقق|امان|أمان|تأكيد|تاكيد|دخول|استرداد|مرور|سري)',
  'الرقم السري',
  'קוד (אימות|אבטחה|גישה|סודי|שחזור|חד פעמי|שנשלח ב.*)',
  'رمز (دوم|پویا|یکبار مصرف|یک بار مصرف)',
  'کد (تایید|تأیید|امنیتی|یکبار مصرف|یک بار مصرف|فعال ?سازی)',
  '[mti]pin',
  'nip',
  'code confidentiel',
  'codice (di sblocco|dispositivo)',
  'codigo (do|del|da|de la) (app |aplicativo |aplicacion )?autenticador~',
  '(kod )?blik( kod)?',
  'bank ?id kod|digi ?d code|personkode',
  '(door|gate|alarm|lockbox|safe|garage|entry) (code|combination)',
  'memorable (word|phrase|information|answer|date)|safe word',
  '(tarjeta|tarjetas) de coordenadas|coordenadas? de (la |tu )?tarjeta',
  'rsa ?secur ?id|secur ?id (passcode|code)',
  'amex cid',
  '[34] digits? (code )?(on|from) the (front|back)|[34] digits on (front|back)',
];

/** What signs in a program, and what opens a wallet. */
const KEYS = [
  '~api ?key~',
  'api (secret|token)s?',
  '(access|secret|private|encryption|signing|master|recovery|session|deploy|shared|license|licence|account|ssh|gpg|pgp|wallet|service account|storage|consumer|app|client|service role|webhook|preshared|pre shared|auth|decryption) keys?',
  '(access|secret|private|encryption|signing|master|recovery|shared|license|account)key\\d?',
  '~(client|app|consumer|webhook|shared|api|signing)? ?secrets?',
  '(access|auth|authentication|api|refresh|bearer|session|csrf|xsrf|id|personal access|bot|deploy|device|security|service|oauth|npm|github|gitlab|slack|discord|telegram|hf|login|user|reset|webhook|integration)? ?token',
  '(access|auth|api|refresh|bearer|session|bot|id|csrf|xsrf)token',
  'bearer',
  'hmac ?key',
  '(network|wifi|wi fi|wireless) (security )?key',
  '(github|gitlab|azure)( |_)?pat',
  'jwt',
  '(login |user |your |api )?credentials?',
  'connection ?string',
  '(recovery|seed|secret|backup|mnemonic|secret recovery|wallet) ?(phrase|words?)',
  'mnemonic~',
  '(wallet|bip ?39|hd) seed',
  '(zugriffs|zugangs|sicherheits|anmelde) ?token',
  '(api|privater?|geheimer?|zugriffs|geheim|wiederherstellungs|sicherheits|netzwerk|wlan|lizenz|produkt|entschlusselungs) ?schlussel',
  '(wiederherstellungs|seed|sicherungs) ?(phrase|worter|satz|schlussel)',
  'cles? (de |d )?(api|privee?|secrete?|acces|recuperation|licence|wifi|wpa)',
  'jetons?( d acces| api| secret)?',
  'phrase (de )?(recuperation|secrete|mnemonique|de passe|seed)',
  'frase (de |di )?(recuperacion|recuperacao|recupero|semilla|semente|secreta|segreta|seed|mnemonica)',
  '(clave|llave|chave|chiave) (de |di |d )?(api|privada|privata|secreta|segreta|acceso|acesso|accesso)',
  'palabras (semilla|de recuperacion|secretas)',
  '(parole|palavras) (seed|di recupero|de recuperacao|segrete|secretas)',
  '(api|prive|geheime|toegangs|herstel) ?sleutel',
  'herstelzin',
  'klucz (api|prywatny|dostepu|tajny|odzyskiwania)',
  'fraza (odzyskiwania|seed|bezpieczenstwa)',
  '(api|приватн|секретн|закрыт|личн)[а-я]* ключ[а-я]*',
  'ключ (api|апи|доступа|восстановления)',
  '(секретн|сид|мнемоническ)[а-я]* фраза',
  'фраза (восстановления|для восстановления)',
  'токен( доступа)?',
  '(api|ozel|gizli|kurtarma|erisim) (anahtar|anahtari|ifadesi|kelimeleri|cumlesi)',
  '(priv|enc|crypt|sym) ?key',
  '(api|hemlig|hemmelig|privat|krypterings|aterstallnings|gendannelses|gjenopprettings|adgangs|tilgangs)e? ?(nyckel|nogle|nokkel)n?',
  '(aterstallnings|gendannelses|gjenopprettings)(fras|sætning|setning|ord)~',
  '(sakerhetsfraga|sikkerhedssporgsmal|sikkerhetssporsmal)~ svar|svar pa .*(sakerhetsfraga|sikkerhedssporgsmal|sikkerhetssporsmal)~',
  '(api|salainen|yksityinen) avain|api ?avain',
  'palautuslause~',
  '(soukromy|sukromny|tajny|api) (klic|kluc)|(klic|kluc) api',
  '(api|titkos|privat|hozzaferesi) kulcs',
  'chei[ae] (api|privata|secreta|de acces)',
  'fraza (de recuperare|za oporavak)',
  '(ιδιωτικό|μυστικό|ιδιωτικο|μυστικο) κλειδ[ιί]',
  'φράση ανάκτησης',
  '(секретн|приватн|закрит|таєн)[а-яії]* ключ[а-яі]*',
  'фраза (для )?відновлення',
  '(tajni|privatni|zasebni|api) kljuc',
  'khoa (api|bi mat|rieng tu|truy cap)',
  'cum tu (khoi phuc|bi mat)',
  'kunci (api|rahasia|pribadi|akses|peribadi)',
  'fras[ae] pemulihan',
  'clau (privada|secreta|api|d acces)',
  '(गुप्त|निजी) कुंजी',
  '(ال)?مفتاح (ال)?(سري|خاص|api)',
  'عبارة (الاسترداد|الاستعادة)',
  'מפתח (פרטי|סודי|api)',
  'کلید (خصوصی|مخفی|api)',
  'wpa\\d?( (key|psk))?|psk',
  '(wi fi|wifi) schlussel',
  '(open ?ai|anthropic|claude|gemini|mistral|groq|deepseek|openrouter|stripe|twilio|sendgrid|kms|fernet|setup|totp|unseal|activation|serial) key',
  'xprv|xpriv|nsec',
  '(12|15|18|24) ?words?( (seed|recovery|secret))? phrase',
  'bip ?39( (seed|phrase|words|mnemonic))?',
  'keystore json',
  '^otpauth( (uri|url))?$',
  'sas (token|url|uri)',
  '(database|db|mongo|mongodb|redis|postgres|postgresql|mysql|amqp|broker) (url|uri|dsn)',
  'session (id|cookie)|sessionid|(php|j|asp)sess(ion)?id',
  '^cookies?( (string|header|value))?$',
  'authorization header|basic auth',
];

/** What pays, and numbers by which states know a person. */
const NUMBERS = [
  '(credit|debit|bank|payment|gift)? ?card ?(number|no|num|nr|pan|data)',
  '(credit|debit|payment|bank) card',
  '(credit|debit)card(no|nr|num|number)?',
  'card(no|nr|num|number)',
  'cc ?(num|number|no|nr|csc|cvc|cvv|exp|expiry)',
  'ccnum\\w*',
  'card ?(cvc|cvv|csc|code|security|expiry|expiration|exp|pin|verification)\\d?',
  '\\w*cv[vcn]2?|ccv2?',
  'csc',
  'cid code',
  '(kredit|bank|debit|giro|ec)? ?(karten|karte) ?(nummer|nr)',
  '(kredit|bank|debit|ec)?karten(nummer|nr)',
  'numero (de |da |della |de la |de votre |de su |do |del )?(carte|tarjeta|cartao|carta)( .*)?',
  'n (de )?(carte|tarjeta)( .*)?',
  '(kaart|creditcard|pas)nummer',
  'numer karty( .*)?',
  'номер (банковской |кредитной |дебетовой |вашей )?карты',
  '(kredi |banka )?karti? (numarasi|no|numaraniz)',
  'iban',
  '(bank|checking|giro) ?account (number|no)',
  'ssn(\\d+|last\\w*|num\\w*|no)?',
  'social security( (number|no))?',
  'socialsecurity\\w*',
  '(sozialversicherungs|rentenversicherungs|steueridentifikations|personalausweis|steuer id|sv) ?(nummer|nr)',
  'steuer id',
  'numero de (securite sociale|seguridad social|la seguridad social|dni|identidad)',
  '(n|numero) (de )?(secu|ss)',
  'dni( nie)?',
  'nif',
  'aadhaar( (number|no|card))?',
  'cpf',
  'codice fiscale',
  'bsn',
  'burgerservicenummer',
  'pesel',
  'снилс',
  'паспортные данные',
  'номер паспорта',
  'pasaport (no|numarasi)',
  '(reise|diplomaten)?pass ?(nummer|nr)',
  '(passport|paspoort) ?(number|no|nummer|nr)',
  '(numero|numer|n) (de |del |do |di |da |del tuo )?(passeport|pasaporte|passaporte|passaporto|paszportu)',
  '(driver s?|drivers|driving) ?licen[cs]e ?(number|no)',
  '(driver|drivers|driving)licen[cs]e(number|no)',
  'steuernummer',
  '(bank ?)?kontonummer',
  '(bank ?)?rekeningnummer',
  'tc kimlik( (no|numarasi))?',
  'national (id|identity|insurance)( (number|no))?',
  'nino',
  'tax(payer)? (id|identification)( (number|no))?',
  '(security|secret) answer\\d?',
  'answer to (the |your |my )?(security|secret) question',
  'antwort auf (die |ihre |deine |meine )?(sicherheits|geheim) ?frage',
  'mother s? ?maiden name',
  'maiden name of .*',
  '(geheime|sicherheits) ?antwort',
  'reponse secrete',
  'respuesta (secreta|de seguridad)',
  'kort ?nummer',
  '(person|fodsels|cpr|bankkonto) ?nummer',
  '(kortin|tilin) numero|korttinumero|tilinumero|henkilotunnus',
  'cislo (platobnej |platebni |kreditni |kreditnej |bankovni )?(karty|pasu)',
  'rodne cislo',
  '(bank)?kartya ?szam~|szemelyi szam|adoazonosito( jel)?|taj szam|bankszamlaszam',
  'numar(ul)? (de )?card(ului)?|cnp|cod numeric personal',
  'αριθμός (κάρτας|διαβατηρίου|ταυτότητας)|αφμ|αμκα',
  'номер (банківської |кредитної |платіжної )?картки|номер паспорта|іпн|рнокпп',
  'ідентифікаційний (код|номер)',
  'номер на (банковата |кредитната |вашата )?карта(та)?|егн',
  'broj (kreditne |bankovne |platne )?kartice|stevilka kartice|oib|jmbg|emso',
  '^so the( tin dung| ngan hang| atm| ghi no)?$|so (cccd|cmnd|ho chieu)',
  'nomor (kartu|paspor|ktp)( (kredit|debit))?|nombor kad( (kredit|debit|pengenalan))?',
  'numero de (la )?targeta',
  'कार्ड (नंबर|संख्या)|आधार (संख्या|नंबर|कार्ड)',
  'رقم (البطاقة|بطاقة الائتمان|الهوية( الوطنية)?|جواز السفر)',
  'מספר (כרטיס( אשראי)?|תעודת זהות|דרכון)|תעודת זהות',
  'شماره (کارت|گذرنامه|شبا)|کد ملی',
  'valid thru',
  '(expir(y|ation)|exp)( date)? mm yy(yy)?|^mm (yy|yyyy|aa|aaaa)$',
  '^(your |valid )?passport$',
  '^(your |valid )?(driver s?|drivers|driving) ?licen[cs]e$|dl (number|no)',
  'id card( (number|no))?|identity card( (number|no))?',
  '(nhs|medicare|medicaid) (number|no|id)',
  'curp|^rut$|cui[lt]|nric( fin)?|my ?kad|hkid|itin|voter id',
  'инн',
  '^nir$|(n|numero) (de )?securite sociale|numero fiscal',
  '(nr|numer) dowodu( osobistego)?',
  '(personal)?ausweis ?(nummer|nr)',
  '居民身[份分][证證]|身[份分][证證]',
  'כרטיס אשראי',
  '^bank account$',
  '(security|secret|challenge|sec) ans(wer)?\\d?',
  '(antwort .*sicherheitsfrage|sicherheitsfrage antwort)',
  'секретный вопрос ответ|ответ на (секретный|контрольный) вопрос',
  'madchenname (der|ihrer|deiner) mutter|geburtsname (der|ihrer|deiner) mutter',
  'nom de jeune fille de (la |ta |votre )?mere|apellido (de soltera )?de (tu|su|la) madre|cognome (da nubile )?(di|della) (tua )?madre',
  '(name|names) of (your |my )?(first|childhood|favou?rite) (pet|school|teacher|friend)|first pet s? ?name',
];

/** Languages without spaces between words; what is compared has none either. */
const UNSPACED = `
  密码 密碼 口令 验证码 驗證碼 动态码 校验码 短信码 密钥 密鑰 私钥 私鑰 助记词 助記詞 护照号 護照號 银行账号 銀行帳號 恢复短语 恢复码 恢復短語 銀行卡號
  银行卡号 信用卡号 信用卡號 卡号 卡號 安全码 安全碼 身份证号 身分證字號 令牌
  パスワード パスコード パスフレーズ 暗証番号 認証コード 確認コード 認証番号 ワンタイム apiキー 秘密鍵 シークレット フレーズ
  合言葉 カード番号 セキュリティコード マイナンバー 個人番号 口座番号 パスポート番号 旅券番号 秘密の質問の答え 秘密の答え トークン アクセスキー
  비밀번호 암호 패스워드 인증번호 인증코드 확인코드 보안코드 카드번호 개인키 비밀키 api키 시드문구 복구문구 복구구문 니모닉
  주민등록번호 주민번호 계좌번호 여권번호 토큰 일회용
  身份證號 恢复密钥 リカバリーキー 復旧キー 回復キー 복구키 cvc번호 otp번호
  മുരപദം പാസ്വേഡ് ಪಾಸ್ವರ್ಡ್ પાસવર્ડ ਪਾਸਵਰਡ ପାସୱାର୍ଡ ওটিপি ఓటీపీ ഒടിപി මුරපදය စကားဝှက် ពាក្យសម្ងាត់ លេខសម្ងាត់ ລະຫັດຜ່ານ ລະຫັດລັບ
  รหัสผ่าน รหัสยืนยัน รหัสความปลอดภัย รหัสลับ รหัสotp บัตรประชาชน ประจำตัวประชาชน หมายเลขบัตร คีย์ส่วนตัว
`
  .normalize('NFKC')
  .trim()
  .split(/\s+/);

/** Taken out before anything else is looked for: they hold such a word and mean no secret. */
const HARMLESS = [
  '(password|passwort|kennwort|token|api key|secret|pin|card|iban|otp|cvv|ssn) (hint|help|length|policy|manager|strength|age|rotation|expires|expiry days|count|limit|name|names|id|label|description|budget|title|type|types|design|holder|holder name|color|colour)',
  '(password|token) reset (email|mail|link)',
  '(max|min|total|used|input|output|prompt|completion|number of|reserved) (new )?tokens?',
  'tokens? (per|used|limit|count|budget|symbol|ticker|amount|price)',
  '(nft|erc 20|erc20|governance|design|reward|utility) tokens?',
  '(card|karten|name|nome|nombre|nom) ?(holder|inhaber|titulaire)( name)?',
  'name on (the )?card',
  '(business|flash|trello|index|greeting|post|playing|trading|score|library|loyalty|sim|sd|graphics|video|sound|memory|report) ?card( (number of|title|name|text))?',
  'number of cards?',
  '(drop|map|place|move|show|red|bobby|bowling|rolling|safety|gpio|enamel|lapel|location) pins?',
  'pin ?code postal|postal pin( ?code)?|pin drop',
  'jetons? de (presence|casino|caddie|lavage)',
  'pin (to|this|the|it|here|location|board|up|color|colour|note|post|message|chat|title|name|count|layout|number of)',
  'secret (santa|garden|ingredient|sauce|recipe|level|project|agent|wish)',
  '(boarding|season|day|ski|bus|guest|visitor|press|battle|museum|city|gym|mountain|back stage|backstage) ?pass',
  'public keys?',
  '(palabra|parola|mot|kelime) ?(clave|chiave|cle)s?',
  'palabras clave',
  'hasl[oa] (reklamowe|przewodnie|encyklopedii|promocyjne|kampanii)',
  '(parola|parole) (del giorno|chiave|crociate|straniera|della canzone)',
  '(random|noise|world|map|shuffle|tournament) seed',
  'seed (type|variety|company|round|money|bank|list|quantity)',
  '(note|noten|bild|ton|violin|schrauben|bass)schlussel',
  '(tan|sun tan|self tan) (colou?r|leather|lines?|boots)',
  'colou?r tan',
  '(passwort|kennwort) ?(starke|lange|richtlinie|richtlinien|manager|alter|hinweis|regeln)',
  'hasl(o|em|a) dnia',
  'chiave inglese',
  '(losenord|passord|adgangskode)s?(langd|lengde|længde|styrka|styrke|regler|policy)',
  'gesl[oa] (kampanj[ea]|dneva|dana)|naziv gesla',
];

const HARMLESS_UNSPACED = [
  '암호화폐',
  '암호화',
  '암호학',
  '密码学',
  '密碼學',
  'キャッチフレーズ',
  '英語フレーズ',
  'フレーズ集',
  'パスワードなし',
  '토큰수',
  'トークン数',
  '房卡号',
];

/** What a field is called, by its page and to a person, in one form: small letters without accents, words parted by one space. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll(/[ßłøıё]/g, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replaceAll(SINGLE_LETTERS, (letters) => letters.replaceAll(' ', ''))
    .trim();

/** Where a word may be parted, which nobody sees. */
const UNSEEN = /\u00ad|\u034f|\u180e|\u200b|\u2060|\ufeff/gu;
/** A word whose letters are drawn one by one. */
const SINGLE_LETTERS = /(?<![^ ])(?:\p{Script=Latin} ){3,}\p{Script=Latin}(?![^ ])/gu;

/** Whether words like these name a secret. The fields of a page are asked about with every look at it, and the patterns are long. */
export const namesSecret = (text: string): boolean => {
  const known = answers.get(text);
  if (known !== undefined) return known;
  if (answers.size === MAX_ANSWERS) answers.clear();
  const answer = wordsNameSecret(text);
  answers.set(text, answer);
  return answer;
};

const MAX_ANSWERS = 1_000;
const answers = new Map<string, boolean>();

const wordsNameSecret = (text: string): boolean => {
  const words = plainWords(text.replaceAll(DISCLAIMER, ' ')).replaceAll(HARMLESS_PATTERN, ' ').replaceAll(/ +/g, ' ').trim();
  const unspaced = HARMLESS_UNSPACED.reduce((kept, phrase) => kept.replaceAll(phrase, ''), words.replaceAll(' ', ''));
  return SECRET_PATTERN.test(words) || UNSPACED.some((phrase) => unspaced.includes(phrase));
};

/** Letters that are not another with an accent. */
const PLAIN_LETTERS = new Map([
  ['ß', 'ss'],
  ['ł', 'l'],
  ['ø', 'o'],
  ['ı', 'i'],
  ['ё', 'е'],
]);

/** “Never tell us your password” under a field for something else. */
const DISCLAIMER =
  /(?<![\p{L}\p{N}])(?:never|not|don['’]t|without|nicht|niemals|keine?n?|ohne|jamais|sans|nunca|sin|sem|mai|senza|nooit|geen|zonder|nigdy|bez|nie|не|никогда|без)(?![\p{L}\p{N}])[^.!?;)]*|(?:请勿|請勿|不要|切勿)[^。！;；]*|[^。！?]*(?:しないでください|ないで下さい|마세요|마십시오)|\bno (?:passwords?|secrets?|card numbers?|api keys?)\b/giu;

const pattern = (phrases: readonly string[], flags: string): RegExp =>
  new RegExp(
    `(?<![^ ])(?:${phrases
      .join('|')
      .normalize('NFKC')
      .replaceAll('~', String.raw`[\p{L}\p{N}]*`)})(?![^ ])`,
    flags,
  );

const SECRET_PATTERN = pattern([...PASSWORDS, ...CODES, ...KEYS, ...NUMBERS], 'u');
const HARMLESS_PATTERN = pattern(HARMLESS, 'gu');
