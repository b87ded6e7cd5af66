"""When two positions agree, and that a position and its negation never do (point 25)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.debate.rules.agreement import agree, is_opposed, likeness, repeats

SAME = (
    ("Close the centre to cars in steps.", "Close the centre to cars in steps."),
    ("Yes, close the centre to cars.", "We should close the centre to cars."),
    ("We should not ban phones in schools.", "Schools should allow phones."),
    (
        "Wir sollten das Zentrum für Autos sperren.",
        "Das Zentrum sollte für Autos gesperrt sein, wir sollten es sperren.",
    ),
    ("我们应该关闭市中心", "我们应该在周末关闭市中心"),
    ("42", "42."),
    ("Yes.", "Yes!"),
)
OPPOSED = (
    ("We should adopt the plan.", "We should not adopt the plan."),
    ("We should adopt the plan.", "We shouldn't adopt the plan."),
    ("We should adopt the plan.", "We should never adopt the plan, whatever it brings to the city and its shops."),
    ("Yes.", "No."),
    ("YES, the city should close its centre.", "NO, the city should close its centre."),
    ("No, close nothing.", "Neither: it is the wrong question."),
    ("Yes", "Neutral"),
    ("My answer is yes.", "My answer is no."),
    ("Ban phones in schools.", "Allow phones in schools."),
    ("The plan is safe.", "The plan is unsafe."),
    ("I am for the toll.", "I am against the toll."),
    ("Set the limit at 30 km/h.", "Set the limit at 50 km/h."),
    ("We should choose Berlin for the games.", "We should choose Munich for the games."),
    ("The answer is B.", "The answer is C."),
    ("Adopt the toll rather than the ban.", "Adopt the ban rather than the toll."),
    ("Wir sollten den Plan annehmen.", "Wir sollten den Plan nicht annehmen."),
    ("Wir sollten den Plan annehmen.", "Wir sollten den Plan ablehnen."),
    ("Ja, die Stadt soll es tun.", "Nein, die Stadt soll es tun."),
    ("Nous devons adopter le plan.", "Nous ne devons pas adopter le plan."),
    ("Oui, il faut fermer.", "Non, il faut fermer."),
    ("Debemos adoptar el plan.", "No debemos adoptar el plan."),
    ("Debemos permitir los coches.", "Debemos prohibir los coches."),
    ("我们应该采用这个计划", "我们不应该采用这个计划"),
    ("是的，应该关闭", "否，应该关闭"),
    ("この計画を採用すべきだ", "この計画を採用すべきではない"),
)
SAME_UNSEEN = (
    ("We should adopt a four-day week for the whole firm.", "The firm as a whole should adopt a four-day week."),
    (
        "Yes. The city should build the tram line along Hafenstrasse.",
        "The city should build the tram line along Hafenstrasse.",
    ),
    ("No: Parliament should not lower the voting age to 16.", "Parliament should not lower the voting age to 16."),
    (
        "Use PostgreSQL as the primary store for the billing service.",
        "The billing service should use PostgreSQL as its primary store.",
    ),
    ("Remote work raises productivity for senior engineers.", "For senior engineers, remote work raises productivity."),
    ("The library should not stay closed on Sundays; open it.", "The library should be open on Sundays."),
    (
        "It isn't true that nuclear power is unsafe; it is a safe source of energy.",
        "Nuclear power is a safe source of energy.",
    ),
    (
        "Raise the carbon price to 90 euros per tonne by 2030.",
        "The carbon price should be raised to 90 euros per tonne by 2030.",
    ),
    (
        "Wir sollten die Viertagewoche im ganzen Betrieb einführen.",
        "Die Viertagewoche sollten wir im ganzen Betrieb einführen.",
    ),
    (
        "Deberíamos adoptar la semana de cuatro días en toda la empresa.",
        "La semana de cuatro días debería adoptarse en toda la empresa.",
    ),
    ("我们应该在全公司实行四天工作制。", "全公司应该实行四天工作制。"),
    (
        "Hospitals should screen every adult over 50 for colon cancer.",
        "Every adult over 50 should be screened for colon cancer by hospitals.",
    ),
    (
        "Ban advertising of gambling on television before 9 p.m.",
        "Advertising of gambling on television should be banned before 9 p.m.",
    ),
    ("The answer is 42 because six times seven gives 42.", "42: six times seven gives 42."),
    (
        "Keep the monolith and split out only the payment module.",
        "We should keep the monolith, splitting out only the payment module.",
    ),
    ("Motion: schools should start at nine; I accept it as it stands.", "Schools should start at nine."),
    ("The treaty did more to prevent war than to cause it.", "The treaty prevented war more than it caused it."),
    (
        "Not only should the bridge be repaired, it should be widened too.",
        "The bridge should be repaired and widened too.",
    ),
    ("There is no reason to delay: ship version 3 in May.", "Ship version 3 in May."),
    (
        "The hospital should buy the robot only after a pilot of six months.",
        "Only after a pilot of six months should the hospital buy the robot.",
    ),
    ("Yes, but in stages: open the archive to researchers first.", "Open the archive to researchers first."),
    ("Rust is the better choice for the parser.", "For the parser, Rust is the better choice."),
    (
        "Die Stadt sollte Kurzzeitmieten auf 60 Tage im Jahr begrenzen.",
        "Kurzzeitmieten sollte die Stadt auf 60 Tage im Jahr begrenzen.",
    ),
    (
        "La ville devrait limiter la circulation à 30 km/h partout.",
        "La circulation devrait être limitée à 30 km/h partout dans la ville.",
    ),
    ("学校应该禁止手机。", "手机应该被学校禁止。"),
    ("Merkez araçlara kapatılmamalı.", "Araçlara merkez kapatılmamalı."),
    ("Memeli hayvanlar korunmalı.", "Korunmalı memeli hayvanlar."),
    ("शहर को केंद्र बंद नहीं करना चाहिए।", "शहर को केंद्र नहीं बंद करना चाहिए।"),
    ("도시는 주말에 도심을 폐쇄해야 한다.", "주말에 도시는 도심을 폐쇄해야 한다."),
    ("El equipo debe dirigir Gómez.", "Debe dirigir el equipo Gómez."),
    (
        "The evidence favours an early human settlement of the island around 1200 BCE.",
        "An early human settlement of the island around 1200 BCE is favoured by the evidence.",
    ),
    (
        "Publish the model weights under a staged release.",
        "The model weights should be published under a staged release.",
    ),
    ("Meet at 9 am.", "We should meet at 9 a.m."),
    ("Fund buses and trams.", "We should fund trams and buses."),
    ("Keskusta pitää sulkea autoilta.", "Kyllä, keskusta pitää sulkea autoilta."),
    ("Keskustaa ei pidä sulkea autoilta.", "Ei, keskustaa ei pidä sulkea autoilta."),
    ("Nu ar trebui să închidem centrul.", "Nu, nu ar trebui să închidem centrul."),
    ("Da die Stadt wächst, braucht sie eine Bahn.", "Die Stadt wächst, sie braucht eine Bahn."),
    ("There is no doubt that the AI is conscious.", "The AI is conscious."),
    ("Keep warming below 1.5 degrees.", "We should keep warming below 1.5 degrees."),
    ("The years 2020-2030 decide it.", "It is decided in the years 2020-2030."),
    ("The answer is 5%.", "The answer is 5 percent."),
    ("The answer is 5 %.", "It is 5 per cent."),
    ("Ban cars unless it rains.", "Unless it rains, ban cars."),
    ("Der Satz ist 5 Prozent.", "Der Satz ist 5 %."),
    ("Regulate open models.", "The regulation of open models."),
    ("Yes, provided that transit is free.", "Yes, only if transit is free."),
    ("Ban cars in the centre. Shops should be asked first.", "Ban cars in the centre."),
    ("The plan works. Funding depends on parliament.", "The plan works."),
    ("Wir sollten den Plan annehmen, wenn auch spät.", "Wir sollten den Plan annehmen."),
    (
        "The city should fund the tram as long as the fares stay low.",
        "The city should fund the tram, as long as fares stay low.",
    ),
    ("Prices rose 3.5 percent.", "Prices rose by 3.5%."),
    ("Interest should be 2 % above base.", "Interest should be 2% above base."),
    ("Les musées doivent être gratuits.", "Il faut que les musées soient gratuits."),
    ("The regulation of models is needed.", "Regulating models is needed."),
    ("Nationalisation of rail is right.", "Nationalising rail is right."),
    ("Das Verbot ist sinnvoll.", "Ein Verbot wäre sinnvoll."),
    ("Children should learn to code.", "Children should be learning to code."),
    ("The judges decided correctly.", "The judge decided correctly."),
    ("We should prioritise housing over roads.", "Prioritising housing over roads is right."),
    ("Healthcare should be provided by the state.", "The state should provide healthcare."),
    ("An employee should pay the levy.", "Employees should pay the levy."),
    (
        "The hospital should buy the robot only after a six-month pilot.",
        "The hospital should buy the robot after a pilot of six months.",
    ),
    ("Ban cars in the centre.", "Ban cars only in the centre."),
    ("Adopt the plan if the budget allows it.", "Adopt the plan only if the budget allows it."),
    ("Die Stadt soll nur das Zentrum sperren.", "Die Stadt soll das Zentrum sperren."),
    ("Il faut fermer le centre le week-end.", "Il faut fermer le centre seulement le week-end."),
)
"""Written before the rule was looked at, like those that follow."""
DIFFERENT_UNSEEN = (
    ("We should adopt a four-day week for the whole firm.", "We should reject a four-day week for the whole firm."),
    (
        "We should adopt a four-day week for the whole firm.",
        "We should adopt a four-day week for the sales department only.",
    ),
    ("Raise the carbon price to 90 euros per tonne by 2030.", "Raise the carbon price to 190 euros per tonne by 2030."),
    ("Raise the carbon price to 90 euros per tonne by 2030.", "Raise the carbon price to 90 euros per tonne by 2045."),
    (
        "Use PostgreSQL as the primary store for the billing service.",
        "Use MongoDB as the primary store for the billing service.",
    ),
    (
        "The city should build the tram line along Hafenstrasse.",
        "The city should build the tram line along Kaiserstrasse.",
    ),
    ("Remote work raises productivity for senior engineers.", "Remote work lowers productivity for senior engineers."),
    (
        "Hospitals should screen every adult over 50 for colon cancer.",
        "Hospitals should screen hardly any adult over 50 for colon cancer.",
    ),
    ("Parliament should lower the voting age to 16.", "Parliament should refrain from lowering the voting age to 16."),
    (
        "Wir sollten die Viertagewoche im ganzen Betrieb einführen.",
        "Wir sollten die Viertagewoche im ganzen Betrieb keinesfalls einführen.",
    ),
    (
        "Deberíamos adoptar la semana de cuatro días en toda la empresa.",
        "Deberíamos descartar la semana de cuatro días en toda la empresa.",
    ),
    ("我们应该在全公司实行四天工作制。", "我们不应该在全公司实行四天工作制。"),
    ("The merger benefits consumers more than shareholders.", "The merger benefits shareholders more than consumers."),
    (
        "Ban all advertising of gambling on television before 9 p.m.",
        "Ban some advertising of gambling on television before 9 p.m.",
    ),
    ("The vaccine is safe and effective for children.", "The vaccine is safe but ineffective for children."),
    (
        "The government should fund nuclear power instead of wind power.",
        "The government should fund wind power instead of nuclear power.",
    ),
    ("Keep the monolith for now and revisit next year.", "Keep the monolith forever and never revisit."),
    ("Schools should be allowed to start at nine.", "Schools should be required to start at nine."),
    ("Sell the subsidiary before the audit is finished.", "Sell the subsidiary after the audit is finished."),
    (
        "The defendant is liable unless the contract was signed.",
        "The defendant is liable only if the contract was signed.",
    ),
    ("Minimum wage increases cause unemployment.", "Minimum wage increases reduce unemployment."),
    ("Aid should be unconditional for all recipients.", "Aid should be conditional for all recipients."),
    ("It is too early to regulate open models in Europe.", "It is too late to regulate open models in Europe."),
    ("Most of the effect is caused by genes.", "Little of the effect is caused by genes."),
    ("Taxes on inheritance above one million should rise.", "Taxes on inheritance below one million should rise."),
    (
        "The company should hire more junior engineers next year.",
        "The company should hire fewer junior engineers next year.",
    ),
    ("The company should hire engineers in Berlin.", "The company should hire engineers in Munich."),
    ("We need to increase the speed limit on motorways.", "We need to decrease the speed limit on motorways."),
    ("Il faut autoriser les voitures dans le centre-ville.", "Il faut interdire les voitures dans le centre-ville."),
    ("Smartphones should be permitted in classrooms.", "Smartphones should be prohibited in classrooms."),
    ("Rent control helps tenants in the long run.", "Rent control harms tenants in the long run."),
    ("The museum should return the bronzes to Nigeria.", "The museum should keep the bronzes from Nigeria."),
    ("France should leave the joint programme with Germany.", "Germany should leave the joint programme with France."),
    (
        "Both candidates are qualified for the post of director.",
        "Neither candidate is qualified for the post of director.",
    ),
    ("The option A is better than option B for latency.", "The option B is better than option A for latency."),
    (
        "Cities should make buses free and pay for it with a congestion charge.",
        "Cities should make buses free but not pay for it with a congestion charge.",
    ),
    (
        "The hospital should buy the robot after a pilot of six months.",
        "The hospital should buy the robot after a pilot of sixteen months.",
    ),
    ("Open the archive to researchers.", "Close the archive to researchers."),
    ("Rust is the better choice for the parser.", "Rust is the worse choice for the parser."),
    ("AI tutors should complement teachers.", "AI tutors should replace teachers."),
    ("Die Stadt sollte Kurzzeitmieten begrenzen.", "Die Stadt sollte Kurzzeitmieten freigeben."),
    ("La ville devrait limiter la circulation partout.", "La ville ne devrait limiter la circulation nulle part."),
    ("学校应该禁止手机。", "学校应该允许手机。"),
    ("The island was settled around 1200 BCE.", "The island was settled around 1200 CE."),
    ("Publish the model weights under a staged release.", "Withhold the model weights under a staged release."),
    (
        "The tax should apply to households with income above 100,000 euros.",
        "The tax should apply to companies with income above 100,000 euros.",
    ),
    ("Every member state should have a veto.", "No member state should have a veto."),
    ("Congress should pass the bill.", "Congress should fail to pass the bill."),
    ("Voting should be compulsory in national elections.", "Voting should be voluntary in national elections."),
    ("The study proves that coffee prevents dementia.", "The study does not prove that coffee prevents dementia."),
    ("The study proves that coffee prevents dementia.", "The study suggests that coffee prevents dementia."),
    ("Invest 5 million now.", "Invest 5 billion now."),
    ("Anna should lead the team and Ben should assist.", "Ben should lead the team and Anna should assist."),
    ("Alignment is a harder problem than capabilities.", "Capabilities is a harder problem than alignment."),
    ("It is doubtful that the bridge will hold.", "It is certain that the bridge will hold."),
    ("Il comune deve chiudere il centro alle auto.", "Il comune non deve chiudere il centro alle auto."),
    ("A cidade deve fechar o centro aos carros.", "A cidade não deve fechar o centro aos carros."),
    ("De stad moet het centrum sluiten voor auto's.", "De stad moet het centrum niet sluiten voor auto's."),
    ("Город должен закрыть центр для машин.", "Город не должен закрыть центр для машин."),
    ("Staden bör stänga centrum för bilar.", "Staden bör inte stänga centrum för bilar."),
    ("Merkez hafta sonları araçlara kapatılmalı.", "Merkez hafta sonları araçlara kapatılmamalı."),
    ("Devlet bu projeyi desteklemeli.", "Devlet bu projeyi desteklememeli."),
    ("Vergi oranları artırılacak.", "Vergi oranları artırılmayacak."),
    ("Bu yöntem uzun vadede maliyeti düşürür.", "Bu yöntem uzun vadede maliyeti düşürmez."),
    ("Aşı çocuklar için güvenlidir.", "Aşı çocuklar için güvenli değildir."),
    ("टीका बच्चों के लिए सुरक्षित है।", "टीका बच्चों के लिए सुरक्षित नहीं है।"),
    ("हाँ, शहर को कर बढ़ाना चाहिए।", "नहीं, शहर को कर बढ़ाना चाहिए।"),
    ("백신은 어린이에게 안전하다.", "백신은 어린이에게 안전하지 않다."),
    ("정부는 이 사업을 지원해야 한다.", "정부는 이 사업을 지원해서는 안 된다."),
    ("Thành phố nên đóng cửa trung tâm.", "Thành phố không nên đóng cửa trung tâm."),
    ("Kota harus menutup pusat bagi mobil.", "Kota tidak harus menutup pusat bagi mobil."),
    ("העיר צריכה לסגור את המרכז.", "העיר לא צריכה לסגור את המרכז."),
    ("Η πόλη πρέπει να κλείσει το κέντρο.", "Η πόλη δεν πρέπει να κλείσει το κέντρο."),
    ("اللقاح آمن للأطفال.", "اللقاح غير آمن للأطفال."),
    ("شہر کو مرکز بند کرنا چاہیے۔", "شہر کو مرکز بند نہیں کرنا چاہیے۔"),
    ("Kyllä, keskusta suljetaan.", "Ei, keskusta suljetaan."),
    ("Ei, olen samaa mieltä esityksestä.", "Kyllä, olen samaa mieltä esityksestä."),
    ("Keskusta pitää sulkea autoilta.", "Keskusta ei pidä sulkea autoilta."),
    ("Ar trebui să închidem centrul.", "Nu ar trebui să închidem centrul."),
    ("Da, ar trebui să închidem centrul.", "Nu, ar trebui să închidem centrul."),
    ("Sunt de acord cu propunerea.", "Nu sunt de acord cu propunerea."),
    ("Tak, zamknąć centrum.", "Nie, zamknąć centrum."),
    ("Ja, vi bör stänga centrum.", "Nej, vi bör stänga centrum."),
    ("Ano, zavřít centrum.", "Ne, zavřít centrum."),
    ("Igen, zárjuk le.", "Nem, zárjuk le."),
    ("Ναι, να κλείσει το κέντρο.", "Όχι, να κλείσει το κέντρο."),
    ("Có, nên đóng cửa trung tâm.", "Không, nên đóng cửa trung tâm."),
    ("Ya, tutup pusat kota.", "Tidak, tutup pusat kota."),
    ("Jah, keskus tuleb sulgeda.", "Ei, keskus tuleb sulgeda."),
    ("כן, יש לסגור את המרכז", "לא, יש לסגור את המרכז"),
    ("بله، مرکز شهر باید بسته شود", "نه، مرکز شهر باید بسته شود"),
    ("是，应该关闭", "不，应该关闭"),
    ("Start the school day at 9 am.", "Start the school day at 9 pm."),
    ("Start at 9 a.m.", "Start at 9 p.m."),
    ("The market should open at 9am.", "The market should open at 9 pm."),
    ("Fund buses and trams.", "Fund buses or trams."),
    ("We should fund A and B.", "We should fund A or B."),
    ("Busse und Bahnen fördern.", "Busse oder Bahnen fördern."),
    ("Il faut financer les bus et les trams.", "Il faut financer les bus ou les trams."),
    ("The answer is 12.", "The answer is 12.5."),
    ("The answer is -3.", "The answer is 3."),
    ("The limit should be +2 °C.", "The limit should be −2 °C."),
    ("p < 0.05", "p > 0.05"),
    ("Privacy outweighs security.", "Security outweighs privacy."),
    ("Prefer trams over buses.", "Prefer buses over trams."),
    ("Tax the rich to fund the poor.", "Tax the poor to fund the rich."),
    ("The AI is conscious.", "I doubt that the AI is conscious."),
    ("Ban cars on weekdays.", "Ban cars on weekends."),
    ("The city should ban cars on weekdays.", "The city should ban cars on weekends."),
    ("Employers should pay the levy.", "Employees should pay the levy."),
    ("Employees should pay the levy.", "Employers should not pay the levy."),
    ("Der Arbeitgeber soll zahlen.", "Der Arbeitnehmer soll zahlen."),
    ("The answer is 5%.", "The answer is 5."),
    ("The rate should be 5 %.", "The rate should be 5."),
    ("The answer is 5 percent.", "The answer is 5."),
    ("Ban cars.", "Ban cars only if transit exists."),
    ("We should ban cars.", "We should ban cars, but only if transit is free."),
    ("Yes.", "Yes, only if transit is free."),
    ("Yes, ban cars.", "Ban cars unless the shops object."),
    ("Ja, die Stadt soll das Zentrum sperren.", "Die Stadt soll das Zentrum nur sperren, wenn Busse fahren."),
    ("Il faut fermer le centre.", "Il faut fermer le centre seulement si les bus sont gratuits."),
    ("Hay que cerrar el centro.", "Hay que cerrar el centro solo si hay autobuses."),
    ("The vaccine is safe for children.", "The vaccine is safe for children only if they are healthy."),
    ("应该关闭市中心。", "只有公交免费，才应该关闭市中心。"),
    ("Ban cars.", "Ban cars provided that transit is free."),
    ("Raise the underpaid wages.", "Raise the understaffed wages."),
    ("The rate should rise 5 percentage points.", "The rate should rise 5 percent."),
    ("Nationalise the railways.", "Naturalise the railways."),
    ("Fund universities.", "Fund universal care."),
    ("Interstate trade should be free.", "International trade should be free."),
    ("Protect the lenders.", "Protect the borrowers."),
    ("Landlords should pay the heating.", "Landladies should pay the heating."),
    ("Appoint the interviewer.", "Appoint the interviewee."),
    ("Sell on Wednesdays.", "Sell on Thursdays."),
    ("Die Mieter sollen zahlen.", "Die Vermieter sollen zahlen."),
    ("Close it in September.", "Close it in November."),
    ("The government is legitimate.", "The government is legitimate unless it loses the vote."),
    ("Вакцина безопасна.", "Вакцина безопасна только если ребёнок здоров."),
    ("De stad moet het centrum sluiten.", "De stad moet het centrum alleen sluiten als er bussen zijn."),
    ("Город должен закрыть центр.", "Город должен закрыть центр, только если есть автобусы."),
    ("A cidade deve fechar o centro.", "A cidade só deve fechar o centro se houver ônibus."),
    ("Il comune deve chiudere il centro.", "Il comune deve chiudere il centro solo se ci sono autobus."),
    ("Staden bör stänga centrum.", "Staden bör stänga centrum bara om det finns bussar."),
    ("市は中心部を閉鎖すべきだ", "市はバスが無料の場合に限り中心部を閉鎖すべきだ"),
    ("The bank should lend.", "The bank should lend only to firms."),
)
"""Opposed, or of another number, name, scope, time or degree, or under a condition."""
APART = (
    ("Close the centre to cars in steps.", "Build two bridges over the river next year."),
    ("A toll divides by income.", "Trains should be free for pupils."),
)
VOCABULARY = (
    *("adopt", "plan", "toll", "centre", "streets", "cars", "build", "bridges"),
    *("river", "trains", "schools", "phones", "winter"),
)
WORDS = st.sampled_from(VOCABULARY)
POSITIONS = st.lists(WORDS, min_size=2, max_size=12, unique=True)


@pytest.mark.parametrize(("one", "other"), SAME + SAME_UNSEEN)
def test_the_same_position_in_other_words_agrees(one: str, other: str) -> None:
    """Positions that hold the same agree, whichever comes first."""
    assert agree(one, other)
    assert agree(other, one)


@pytest.mark.parametrize(("one", "other"), OPPOSED + DIFFERENT_UNSEEN)
def test_positions_that_deny_each_other_do_not_agree(one: str, other: str) -> None:
    """A negation, an opposite, another number, name, or answer keeps two positions apart, however alike their words."""
    assert not agree(one, other)
    assert not agree(other, one)
    assert not repeats(other, one)


@given(POSITIONS, st.data())
def test_one_word_in_place_of_another_is_another_position(words: list[str], data: st.DataObject) -> None:
    """Two positions that differ in one word never agree, since what is no synonym decides them."""
    words = [*words, "weekend", "budget"]
    at = data.draw(st.integers(0, len(words) - 1))
    changed = [*words[:at], "quarry", *words[at + 1 :]]
    assert not agree(f"We should {' '.join(words)}.", f"We should {' '.join(changed)}.")


@pytest.mark.parametrize(("one", "other"), APART)
def test_positions_on_other_matters_are_apart_and_not_opposed(one: str, other: str) -> None:
    """A position on another subject denies nothing, and agrees with nothing either."""
    assert (False, False) == (agree(one, other), is_opposed(one, other))


@given(POSITIONS)
def test_a_position_and_its_negation_never_agree(words: list[str]) -> None:
    """Whatever follows, "we should not" before the same words is another position, and agrees with itself."""
    held, denied = f"We should {' '.join(words)}.", f"We should not {' '.join(words)}."
    assert agree(held, held)
    assert agree(denied, denied)
    assert not agree(held, denied)
    assert not repeats(denied, held)


@given(st.text(max_size=300), st.text(max_size=300))
def test_agreement_is_mutual_and_never_fails(one: str, other: str) -> None:
    """Any two texts are compared, and the order does not matter."""
    assert agree(one, other) == agree(other, one)
    assert is_opposed(one, other) == is_opposed(other, one)
    assert 0 <= likeness(one, other) <= 1


@given(POSITIONS, POSITIONS)
def test_a_motion_with_an_addition_is_still_the_motion(words: list[str], more: list[str]) -> None:
    """MINOR repeats the motion and adds to it: however long the addition, it is the motion that counts."""
    moved = f"We should {' '.join(words)}."
    assert repeats(f"{moved} I would only add a review: {' '.join(f'q{word}' for word in more)}.", moved)


def test_likeness_is_that_of_the_words_that_state_something() -> None:
    """Function words count for nothing, and what says nothing is like nothing."""
    assert (
        0.5
        == likeness("We should adopt the toll for lorries.", "They would adopt a toll on bridges in winter.") * 5 / 4
    )
    assert 1 == likeness("We should adopt it.", "They would adopt this.")
    assert 0 == likeness("", "")
